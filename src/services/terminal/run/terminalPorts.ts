/** Declares what the terminal service needs of the editor; `src/vscode` implements it. */

export interface TerminalHost {
  /** Gives a visible terminal per session; `undefined` when shell integration does not come up in time (20 s). */
  acquire(sessionId: string, cwd: string, signal: AbortSignal): Promise<TerminalSession | undefined>;
  /** Resolves with the shell of a terminal and its environment, for commands that run without a terminal. */
  shellWithoutTerminal(): Promise<ShellToUse>;
}

/** Shell that runs commands without a terminal. */
export interface ShellToUse {
  /** Path of the user's shell; the one that `SHELL` names by default. Where it reads other command lines than sh, sh runs them. */
  file?: string;
  env: NodeJS.ProcessEnv;
}

/** Ending of a command in a terminal. */
export interface TerminalEnd {
  /** `undefined` when the shell did not say. */
  exitCode: number | undefined;
  /** The terminal went, and took the command with it or had it as its last. */
  isClosed: boolean;
}

export interface TerminalExecution {
  /** Raw output as the terminal receives it; ends when the command has ended, though perhaps not in a terminal that is closed. */
  output: AsyncIterable<string>;
  /** May never settle: not every shell says. */
  end: Promise<TerminalEnd>;
}

export interface TerminalSession {
  execute(command: string, signal: AbortSignal): TerminalExecution;
  /** Presses Ctrl+C. */
  interrupt(): void;
  /** Closes the terminal, and ends what runs in front there whatever signals that ignores. */
  kill(): Promise<void>;
}
