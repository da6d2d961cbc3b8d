/** Exit codes of `ollama-copilot`, as documented in docs/api.md. */
export const exitCodes = {
  done: 0,
  /** The run failed, or the server reported an error. */
  failed: 1,
  /** The command line is not valid. */
  usage: 2,
  /** The run ended, but a request was rejected because no user or client could answer it, or `--approve` does not approve it. */
  refused: 3,
  /** The run exceeded the time limit of `--timeout` and was stopped. */
  timeout: 4,
  /** The chat, checkpoint or file does not exist. */
  notFound: 5,
  /** The user or the server did not allow the action, or it is not available. */
  notAllowed: 6,
  /** The server was not found or is unreachable, or the connection was lost. */
  unreachable: 7,
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Returns the exit code for a process that was terminated by a signal. */
export function signalCode(reason: unknown): ExitCode {
  return reason === 'SIGPIPE' ? exitCodes.SIGPIPE : reason === 'SIGTERM' ? exitCodes.SIGTERM : exitCodes.SIGINT;
}

/** Expected failure of a command, with one line for the user and the exit code. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.failed,
    /** Error code for scripts, from the API or from the command. */
    readonly code = 'FAILED',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function usageError(message: string, command = ''): CliError {
  return new CliError(`${message} Run “ollama-copilot help${command && ` ${command}`}”.`, exitCodes.usage, 'USAGE');
}
