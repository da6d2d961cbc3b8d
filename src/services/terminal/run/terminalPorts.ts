/** Editor functions that the terminal service needs. `src/vscode` implements them. */

export interface TerminalHost {
  /** Returns the visible terminal of a session. Returns undefined if shell integration does not start within 20 s. */
  acquire(sessionId: string, cwd: string, signal: AbortSignal): Promise<TerminalSession | undefined>;
  /** Resolves with the shell of a terminal and its environment, for commands that run without a terminal. */
  shellWithoutTerminal(): Promise<ShellToUse>;
}

/** Shell that runs commands without a terminal. */
export interface ShellToUse {
  /** Path of the user's shell. Defaults to `SHELL`. If the shell is not compatible with sh, sh runs instead. */
  file?: string;
  env: NodeJS.ProcessEnv;
}

export interface TerminalEnd {
  /** Undefined if the shell did not report an exit code. */
  exitCode: number | undefined;
  /** True if the terminal closed during the command or together with it. */
  isClosed: boolean;
}

export interface TerminalExecution {
  /** Raw terminal output. Ends with the command, but may not end if the terminal is closed. */
  output: AsyncIterable<string>;
  /** Settles when the command ends. May never settle, because not every shell reports the end. */
  end: Promise<TerminalEnd>;
  /** True for the first command of a terminal if the terminal displays it as the argument of `eval`. */
  isFirstEval?: boolean;
}

export interface TerminalSession {
  execute(command: string, signal: AbortSignal): TerminalExecution;
  interrupt(): void;
  /** Leaves the terminal to its running command. The next command of the session uses another terminal. */
  detach(): void;
  /** Closes the terminal and kills its foreground process, even if the process ignores signals. */
  kill(): Promise<void>;
}
