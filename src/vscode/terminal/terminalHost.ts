import { readlink, realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ShellToUse, TerminalHost, TerminalSession } from '../../services/terminal/run/terminalPorts';
import { shellName } from '../../services/terminal/run/shellName';
import { watchShell, type ShellWatch } from '../../services/terminal/run/shellWatch';
import { endShell, foregroundGroup } from '../../services/terminal/run/terminalProcesses';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { EditorShell } from './editorShell';
import { begunIn, waitForTerminalEnd } from './terminalExecution';

/** Maximum time to wait for shell integration, in milliseconds. A busy computer or slow startup files can delay it. */
const integrationTimeout = 20_000;
/** Maximum time to wait if shell integration is off or the last shell did not have it, in milliseconds. */
const unlikelyTimeout = 5000;
/** Maximum time until a new shell reports its folder, in milliseconds. Not every shell reports it. */
const folderTimeout = 1000;
/** Time until the prompt appears after a command, in milliseconds. Some shells only report their folder with the prompt. */
const promptDelay = 500;
/**
 * Minimum age of a shell before it is used, in milliseconds. If a shell fails within 500 ms, VS Code silently restarts it
 * in the same terminal (`LAUNCHING_DURATION` in `TerminalProcessManager`).
 */
const launchTime = 600;
/**
 * Maximum number of consecutive shells without integration. After that, commands run without
 * a terminal for `retryDelay` milliseconds.
 */
const maxSilentShells = 3;
const retryDelay = 10 * 60_000;

/** Shells that turn off the terminal's line mode at the prompt, and only there. */
const lineEditingShells = ['bash', 'zsh', 'fish'];

/** Variables for terminals. A pager would wait for a key press forever. Zsh would append a mark to each output (`PROMPT_SP`). */
const environment = { PAGER: 'cat', GIT_PAGER: 'cat', PROMPT_EOL_MARK: '' };

/**
 * Provides one visible terminal per session. The terminal is reused while it is open
 * and its shell is in the requested folder.
 */
export class EditorTerminalHost implements TerminalHost, Disposable {
  private readonly held = new Map<string, vscode.Terminal>();
  /** Number of consecutive shells without integration in the requested folder. */
  private silentShells = 0;
  private lastSilentShell = 0;
  /** Time until which no command is typed into a terminal, because output was lost. */
  private withoutTerminalUntil = 0;
  /** Terminals in which the user is running a command. */
  private readonly taken = new Map<vscode.Terminal, vscode.TerminalShellExecution>();
  /**
   * Shell name of each terminal of this extension. Read only at the start, because later VS Code
   * reports the foreground program with a delay.
   */
  private readonly shells = new WeakMap<vscode.Terminal, string>();
  /** Terminals that have run a command through `eval`. */
  private readonly evaluated = new WeakSet<vscode.Terminal>();
  /** Terminals in which the agent is running a command. */
  private readonly busy = new WeakSet<vscode.Terminal>();
  /** Watches on the shells that are running a command of the agent. */
  private readonly watches = new Set<ShellWatch>();
  private readonly listeners = [
    vscode.window.onDidCloseTerminal((terminal) => this.forget(terminal)),
    vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
      if (!this.busy.has(terminal)) this.taken.set(terminal, execution);
    }),
    vscode.window.onDidEndTerminalShellExecution(({ terminal, execution }) => {
      if (this.taken.get(terminal) === execution) this.taken.delete(terminal);
    }),
  ];

  private readonly hidden: EditorShell;

  constructor(private readonly clock: Pick<Clock, 'now'>) {
    this.hidden = new EditorShell(clock);
  }

  async acquire(sessionId: string, cwd: string, signal: AbortSignal): Promise<TerminalSession | undefined> {
    if (this.clock.now() < this.withoutTerminalUntil) return undefined;
    const existing = this.held.get(sessionId);
    if (existing) {
      const wasTaken = this.taken.has(existing);
      const isThere = !wasTaken && existing.shellIntegration !== undefined && (await standsIn(existing, cwd)) === true;
      // Check again, because reading the folder takes half a second if the operating system does not report it.
      const isTaken = wasTaken || this.taken.has(existing);
      if (isThere && !isTaken) return this.toSession(existing);
      // If the user runs a command in the terminal, leave the terminal to the user.
      if (isTaken) this.held.delete(sessionId);
      else this.end(existing);
    }
    if (this.silentShells >= maxSilentShells && this.clock.now() < this.lastSilentShell + retryDelay) return undefined;

    const terminal = vscode.window.createTerminal({
      name: vscode.l10n.t('Ollama Copilot'),
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      cwd,
      env: environment,
      isTransient: true,
    });
    terminal.show(true);
    // Startup files may have changed the folder.
    const isUp = await waitForIntegration(terminal, this.isLikely() ? integrationTimeout : unlikelyTimeout, signal);
    const launched = sleep(launchTime, undefined, { signal }).catch(() => undefined);
    if (!isUp || (await beginsIn(terminal, cwd, signal)) === false) {
      if (!signal.aborted && terminal.exitStatus === undefined) {
        this.silentShells += 1;
        this.lastSilentShell = this.clock.now();
      }
      terminal.dispose();
      return undefined;
    }
    this.silentShells = 0;
    await launched;
    // The user may have closed the terminal in the meantime.
    if (terminal.exitStatus !== undefined || signal.aborted) {
      terminal.dispose();
      return undefined;
    }
    this.held.set(sessionId, terminal);
    this.shells.set(terminal, terminal.state.shell ?? shellName(vscode.env.shell));
    return this.toSession(terminal);
  }

  shellWithoutTerminal(): Promise<ShellToUse> {
    return this.hidden.get();
  }

  private isLikely(): boolean {
    const settings = vscode.workspace.getConfiguration('terminal.integrated.shellIntegration');
    return this.silentShells === 0 && settings.get<boolean>('enabled') !== false;
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
    // If the window no longer exists, it does not close any terminals.
    for (const watch of this.watches) watch.endShell();
    for (const terminal of this.held.values()) terminal.dispose();
    this.held.clear();
  }

  /** Closes a terminal and forgets it immediately, because its close event can arrive after the next command. */
  private end(terminal: vscode.Terminal): void {
    this.forget(terminal);
    terminal.dispose();
  }

  private forget(terminal: vscode.Terminal): void {
    this.taken.delete(terminal);
    for (const [sessionId, held] of this.held) if (held === terminal) this.held.delete(sessionId);
  }

  private isFirst(terminal: vscode.Terminal): boolean {
    const isFirst = !this.evaluated.has(terminal);
    this.evaluated.add(terminal);
    return isFirst;
  }

  private toSession(terminal: vscode.Terminal): TerminalSession {
    return {
      execute: (command) => {
        if (!terminal.shellIntegration) throw new Error('The terminal has lost its shell integration');
        this.busy.add(terminal);
        const watch = watchShell(terminal.processId);
        this.watches.add(watch);
        const text = typed(command, this.shells.get(terminal));
        const begun = begunIn(terminal, terminal.shellIntegration.executeCommand(text), () => {
          this.withoutTerminalUntil = this.clock.now() + retryDelay;
        });
        const end = waitForTerminalEnd(terminal, begun, lineEditingShells.includes(this.shells.get(terminal) ?? ''));
        void end.then(({ isClosed }) => {
          this.busy.delete(terminal);
          this.watches.delete(watch);
          watch.release();
          // VS Code may have started another shell in the terminal.
          if (isClosed) this.end(terminal);
        });
        return { output: begun.output, end, isFirstEval: text !== command && this.isFirst(terminal) };
      },
      interrupt: () => terminal.sendText('\u0003', false),
      detach: () => this.forget(terminal),
      kill: async () => {
        const shell = await terminal.processId;
        const foreground = await foregroundGroup(shell);
        this.end(terminal);
        await endShell(shell, foreground);
      },
    };
  }
}

/**
 * Wraps a command in `eval` with one quoted word, so that VS Code reports all of its output. VS Code relies on the command
 * line that the shell reports. If the history skips duplicates (`HISTCONTROL=ignoreboth`, the default of Debian and
 * Ubuntu), bash reports only the first command. It reports nothing for a subshell, the first part of a pipeline or list,
 * and resolved aliases. The output and the end of such a command would be lost. In zsh, the quotes prevent
 * `url-quote-magic` of Oh My Zsh from escaping the text after a URL.
 */
function typed(command: string, shell: string | undefined): string {
  return shell !== undefined && ['bash', 'gitbash', 'zsh'].includes(shell)
    ? `eval '${command.replaceAll("'", "'\\''")}'`
    : command;
}

/** Returns true if the shell is currently in the folder. Returns undefined if unknown. */
async function standsIn(terminal: vscode.Terminal, cwd: string): Promise<boolean | undefined> {
  const folder = await readFolder(terminal);
  if (folder === undefined) return undefined;
  const [real, asked] = await Promise.all([folder, cwd].map((name) => realpath(name).catch(() => undefined)));
  return real !== undefined && real === asked;
}

/**
 * Returns the current folder of a shell. Linux reports the folder, and also whether the process has exited, which VS Code
 * may not have noticed yet. On other systems, the next prompt reports the folder, with a delay after the last command.
 */
async function readFolder(terminal: vscode.Terminal): Promise<string | undefined> {
  const pid = await terminal.processId;
  if (process.platform === 'linux' && pid !== undefined) {
    try {
      return await readlink(`/proc/${pid}/cwd`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    }
  }
  await sleep(promptDelay);
  return terminal.shellIntegration?.cwd?.fsPath;
}

async function beginsIn(terminal: vscode.Terminal, cwd: string, signal: AbortSignal): Promise<boolean | undefined> {
  await whenever(terminal, () => terminal.shellIntegration?.cwd !== undefined, folderTimeout, signal);
  return standsIn(terminal, cwd);
}

function waitForIntegration(terminal: vscode.Terminal, timeout: number, signal: AbortSignal): Promise<boolean> {
  return whenever(terminal, () => terminal.shellIntegration !== undefined, timeout, signal);
}

/** Resolves with true when shell integration meets a condition, or with false after the timeout. */
function whenever(terminal: vscode.Terminal, isSo: () => boolean, timeout: number, signal: AbortSignal): Promise<boolean> {
  if (isSo()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (isUp: boolean) => {
      clearTimeout(timer);
      listener.dispose();
      closed.dispose();
      signal.removeEventListener('abort', abandon);
      resolve(isUp);
    };
    const abandon = () => finish(false);
    const timer = setTimeout(abandon, timeout);
    const listener = vscode.window.onDidChangeTerminalShellIntegration((event) => {
      if (event.terminal === terminal && isSo()) finish(true);
    });
    const closed = vscode.window.onDidCloseTerminal((other) => {
      if (other === terminal) finish(false);
    });
    signal.addEventListener('abort', abandon);
  });
}
