/** Declares what the terminal service needs of the editor; `src/vscode` implements it. */

export interface TerminalHost {
  /** Gives a visible terminal per session; `undefined` when shell integration does not come up in time (5 s). */
  acquire(sessionId: string, cwd: string, signal: AbortSignal): Promise<TerminalSession | undefined>;
  /** Returns the environment that a shell in a terminal has, for commands that run without one. */
  environment(): NodeJS.ProcessEnv;
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
