import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { shellEnvironment } from '../../services/terminal/run/shellEnvironment';
import { terminalEnvironment, type TerminalVariables } from '../../services/terminal/run/terminalEnvironment';
import type { ShellToUse } from '../../services/terminal/run/terminalPorts';
import { systemClock, type Clock } from '../../utils/clock';

/** Time until a shell that did not report its environment is restarted, in milliseconds. */
const retryDelay = 10 * 60_000;
/** Name of the operating system in `terminal.integrated.env.*`. */
const platformKey = { win32: 'windows', darwin: 'osx' }[process.platform as string] ?? 'linux';

/** Provides the shell of VS Code's terminals and its environment. Starts this shell once to read the environment. */
export class EditorShell {
  private known: { key: string; until: number; shell: Promise<ShellToUse> } | undefined;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * Resolves with the shell and its environment. Workspace settings apply in the same way as in visible terminals. VS Code
   * reads these settings only in trusted workspaces, and commands only run there.
   */
  get(): Promise<ShellToUse> {
    const file = vscode.env.shell;
    const settings = vscode.workspace.getConfiguration('terminal.integrated.env');
    const variables = settings.get<TerminalVariables>(platformKey) ?? {};
    const key = JSON.stringify([file, variables]);
    if (this.known?.key === key && this.clock.now() < this.known.until) return this.known.shell;
    const workspaceFolder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const base = terminalEnvironment(process.env, variables, { userHome: homedir(), workspaceFolder });
    const known = { key, until: Infinity, shell: shellEnvironment(file, base, systemClock).then((env) => ({ file, env })) };
    void known.shell.then(({ env }) => {
      if (env === base) known.until = this.clock.now() + retryDelay;
    });
    this.known = known;
    return known.shell;
  }
}
