import * as vscode from 'vscode';
import type { TerminalHost, TerminalSession } from '../services/terminal/ports';
import type { Disposable } from '../utils/disposable';

/** How long shell integration may take to come up. Milliseconds. */
const integrationTimeout = 5000;

/** Programs that would page their output wait for a key for ever. */
const environment = { PAGER: 'cat', GIT_PAGER: 'cat' };

interface Held {
  terminal: vscode.Terminal;
  cwd: string;
}

/** One visible terminal per session, reused while it lives and stands in the folder that is asked for. */
export class EditorTerminalHost implements TerminalHost, Disposable {
  private readonly held = new Map<string, Held>();
  private readonly closeListener = vscode.window.onDidCloseTerminal((terminal) => this.forget(terminal));

  async acquire(sessionId: string, cwd: string, signal: AbortSignal): Promise<TerminalSession | undefined> {
    const existing = this.held.get(sessionId);
    if (existing && standsIn(existing, cwd)) return this.sessionOf(existing.terminal);
    existing?.terminal.dispose();

    const terminal = vscode.window.createTerminal({
      name: vscode.l10n.t('Ollama Copilot'),
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      cwd,
      env: environment,
      isTransient: true,
    });
    terminal.show(true);
    if (!(await integrationOf(terminal, signal))) {
      terminal.dispose();
      return undefined;
    }
    this.held.set(sessionId, { terminal, cwd });
    return this.sessionOf(terminal);
  }

  dispose(): void {
    this.closeListener.dispose();
    for (const { terminal } of this.held.values()) terminal.dispose();
    this.held.clear();
  }

  private forget(terminal: vscode.Terminal): void {
    for (const [sessionId, held] of this.held) if (held.terminal === terminal) this.held.delete(sessionId);
  }

  private sessionOf(terminal: vscode.Terminal): TerminalSession {
    return {
      execute: (command) => {
        if (!terminal.shellIntegration) throw new Error('The terminal has lost its shell integration');
        const execution = terminal.shellIntegration.executeCommand(command);
        return { output: execution.read(), exitCode: exitCodeOf(terminal, execution) };
      },
      interrupt: () => terminal.sendText('\u0003', false),
      kill: () => terminal.dispose(),
    };
  }
}

/** An earlier command may have gone elsewhere: where the shell stands now counts, as far as it says so. */
function standsIn({ terminal, cwd: begunIn }: Held, cwd: string): boolean {
  const integration = terminal.shellIntegration;
  return integration !== undefined && (integration.cwd?.fsPath ?? begunIn) === cwd;
}

function integrationOf(terminal: vscode.Terminal, signal: AbortSignal): Promise<boolean> {
  if (terminal.shellIntegration) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (isUp: boolean) => {
      clearTimeout(timer);
      listener.dispose();
      closed.dispose();
      signal.removeEventListener('abort', abandon);
      resolve(isUp);
    };
    const abandon = () => finish(false);
    const timer = setTimeout(abandon, integrationTimeout);
    const listener = vscode.window.onDidChangeTerminalShellIntegration((event) => {
      if (event.terminal === terminal) finish(true);
    });
    const closed = vscode.window.onDidCloseTerminal((other) => {
      if (other === terminal) finish(false);
    });
    signal.addEventListener('abort', abandon);
  });
}

/** Resolves when the command or its terminal ends; `undefined` where the shell does not tell. */
function exitCodeOf(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<number | undefined> {
  return new Promise((resolve) => {
    const finish = (code: number | undefined) => {
      ended.dispose();
      closed.dispose();
      resolve(code);
    };
    const ended = vscode.window.onDidEndTerminalShellExecution((event) => {
      if (event.execution === execution) finish(event.exitCode);
    });
    const closed = vscode.window.onDidCloseTerminal((other) => {
      if (other === terminal) finish(terminal.exitStatus?.code);
    });
  });
}
