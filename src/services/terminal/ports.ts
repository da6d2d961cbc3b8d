/** What the terminal service needs of the editor; `src/vscode` implements it. */

/** Gives a visible terminal per session; `undefined` when shell integration does not come up in time (5 s). */
export interface TerminalHost {
  acquire(sessionId: string, cwd: string, signal: AbortSignal): Promise<TerminalSession | undefined>;
}

export interface TerminalExecution {
  /** Raw output as the terminal receives it; ends when the command has ended. */
  output: AsyncIterable<string>;
  /** `undefined` when the shell did not say. */
  exitCode: Promise<number | undefined>;
}

export interface TerminalSession {
  execute(command: string, signal: AbortSignal): TerminalExecution;
  /** Ctrl+C, then kills the terminal. */
  interrupt(): void;
  kill(): void;
}
