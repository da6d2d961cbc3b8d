import { readlink, realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ShellToUse, TerminalHost, TerminalSession } from '../../services/terminal/run/terminalPorts';
import { shellName } from '../../services/terminal/run/shellName';
import { endShell, foregroundGroup } from '../../services/terminal/run/terminalProcesses';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { EditorShell } from './editorShell';
import { begunIn, endOf } from './terminalExecution';

/** Milliseconds that shell integration may take to come up: on a busy machine, or with slow start-up files of the shell, it comes late. */
const integrationTimeout = 20_000;
/** Milliseconds to wait where it is unlikely to come: it is switched off, or did not come for the last shell. */
const unlikelyTimeout = 5000;
/** Milliseconds that a new shell may take to report its folder; not every shell does. */
const folderTimeout = 1000;
/** Milliseconds that the prompt may take after a command, for a shell whose folder only the prompt reports. */
const promptDelay = 500;
/**
 * A shell that ends with an error within half a second of its start is taken for one that could not start, and is begun anew in the
 * same terminal, with no news to anybody (`LAUNCHING_DURATION` of the editor's `TerminalProcessManager`). Milliseconds.
 */
const launchTime = 600;
/** Number of shells in a row without a report after which commands do without; from time to time one is tried again. */
const maxSilentShells = 3;
/** Milliseconds. */
const retryDelay = 10 * 60_000;

/** Programs that would page their output wait for a key for ever; zsh would end every output with a mark of its own (`PROMPT_SP`). */
const environment = { PAGER: 'cat', GIT_PAGER: 'cat', PROMPT_EOL_MARK: '' };

/** Holds one visible terminal per session, reused while it lives and its shell is in the requested folder. */
export class EditorTerminalHost implements TerminalHost, Disposable {
  private readonly held = new Map<string, vscode.Terminal>();
  /** Number of times in a row that a shell with integration in the requested folder was waited for in vain. */
  private silentShells = 0;
  private lastSilentShell = 0;
  /** Time until which no command is typed, because a shell changed what was typed and its output could not be relied on. */
  private withoutTerminalUntil = 0;
  /** Terminals in which a person runs something themselves. */
  private readonly taken = new Map<vscode.Terminal, vscode.TerminalShellExecution>();
  /**
   * Name of the shell of each of our terminals. It is read once, at the start, as the editor tells the program in front
   * a moment late.
   */
  private readonly shells = new WeakMap<vscode.Terminal, string>();
  /** Terminals in which a command of ours runs. */
  private readonly busy = new WeakSet<vscode.Terminal>();
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
      // Asking takes half a second where the system does not know.
      const isTaken = wasTaken || this.taken.has(existing);
      if (isThere && !isTaken) return this.sessionOf(existing);
      // What a person has begun there is theirs to end.
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
    // What the shell runs at its start may have taken it elsewhere.
    const isUp = await integrationOf(terminal, this.isLikely() ? integrationTimeout : unlikelyTimeout, signal);
    const launched = sleep(launchTime, undefined, { signal }).catch(() => undefined);
    if (!isUp || (await beginsIn(terminal, cwd, signal)) === false) {
      // It may also have been closed by a person.
      if (!signal.aborted && terminal.exitStatus === undefined) {
        this.silentShells += 1;
        this.lastSilentShell = this.clock.now();
      }
      terminal.dispose();
      return undefined;
    }
    this.silentShells = 0;
    await launched;
    // A person may have closed it meanwhile.
    if (terminal.exitStatus !== undefined || signal.aborted) {
      terminal.dispose();
      return undefined;
    }
    this.held.set(sessionId, terminal);
    this.shells.set(terminal, terminal.state.shell ?? shellName(vscode.env.shell));
    return this.sessionOf(terminal);
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
    for (const terminal of this.held.values()) terminal.dispose();
    this.held.clear();
  }

  /** Forgets and closes a terminal at once, as the report of its closing may come after the next command. */
  private end(terminal: vscode.Terminal): void {
    this.forget(terminal);
    terminal.dispose();
  }

  private forget(terminal: vscode.Terminal): void {
    this.taken.delete(terminal);
    for (const [sessionId, held] of this.held) if (held === terminal) this.held.delete(sessionId);
  }

  private sessionOf(terminal: vscode.Terminal): TerminalSession {
    return {
      execute: (command) => {
        if (!terminal.shellIntegration) throw new Error('The terminal has lost its shell integration');
        this.busy.add(terminal);
        const text = typed(command, this.shells.get(terminal));
        const begun = begunIn(terminal, terminal.shellIntegration.executeCommand(text), () => {
          this.withoutTerminalUntil = this.clock.now() + retryDelay;
        });
        const end = endOf(terminal, begun);
        void end.then(({ isClosed }) => {
          this.busy.delete(terminal);
          // The editor may have begun another shell in it.
          if (isClosed) this.end(terminal);
        });
        return { output: begun.output, end };
      },
      interrupt: () => terminal.sendText('\u0003', false),
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
 * Wraps a command so that all of its output is reported. The report follows the command that the shell names, and bash
 * names only the
 * first one to begin: none for a subshell, the first part of a pipeline or list, and aliases resolved, if the history
 * leaves doubles out
 * (`HISTCONTROL=ignoreboth`, as Debian and Ubuntu set it). The output and the end of such a command would be lost;
 * `eval` and one word is
 * the whole of it. In zsh the quotes keep `url-quote-magic`, which Oh My Zsh sets up, from escaping the text behind an
 * address.
 */
function typed(command: string, shell: string | undefined): string {
  return shell !== undefined && ['bash', 'gitbash', 'zsh'].includes(shell)
    ? `eval '${command.replaceAll("'", "'\\''")}'`
    : command;
}

/** Tells whether the shell is in the folder now, wherever it began and went since; undefined if it cannot be known. */
async function standsIn(terminal: vscode.Terminal, cwd: string): Promise<boolean | undefined> {
  const folder = await folderOf(terminal);
  if (folder === undefined) return undefined;
  const [real, asked] = await Promise.all([folder, cwd].map((name) => realpath(name).catch(() => undefined)));
  return real !== undefined && real === asked;
}

/**
 * Returns the folder of a shell. Linux knows it, and that the process is gone, which the editor may not have heard of yet. Elsewhere the
 * next prompt tells, some time after the command before it has ended.
 */
async function folderOf(terminal: vscode.Terminal): Promise<string | undefined> {
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

function integrationOf(terminal: vscode.Terminal, timeout: number, signal: AbortSignal): Promise<boolean> {
  return whenever(terminal, () => terminal.shellIntegration !== undefined, timeout, signal);
}

/** Waits until shell integration makes something true; false when it does not in time. */
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
