import { AppError } from '../../../utils/errors';
import type { ProgramToRun } from '../run/childProcessRunner';

/**
 * Availability of the sandbox on this machine. `reason` is localized.
 * `fix` is a command that installs or allows the missing part.
 */
export type SandboxState = { isAvailable: true } | { isAvailable: false; reason: string; fix: string | null };

/** Access that the sandbox denied: to a host, or to a path for writing. `target` is null if the output does not name it. */
export interface Denial {
  kind: 'network' | 'write';
  target: string | null;
}

/** Sandbox events during one command. */
export interface SandboxReport {
  denials: readonly Denial[];
  /** Git settings and hooks that the command changed and that were restored. Paths are relative to the workspace. */
  reverted: readonly string[];
  /** True if a denial required a decision, but no user or client was available. */
  isUnanswered?: boolean;
}

export interface SandboxRequest {
  sessionId: string;
  command: string;
  /** Absolute real path of a folder in the workspace. */
  cwd: string;
  /** Hosts that the command may reach. */
  hosts: readonly string[];
  signal: AbortSignal;
  /** Receives a localized message during a long preparation, then null at its end. */
  onNote?: (note: string | null) => void;
}

/** A program that communicates through its input and output, such as a tool server. It runs until it exits or is terminated. */
export interface SandboxedProgramRequest extends Omit<SandboxRequest, 'sessionId' | 'command'> {
  /** Program to run. Its environment is not changed, except for the sandbox folder for temporary files. */
  program: Omit<ProgramToRun, 'cwd'>;
}

export interface SandboxedCommand {
  program: ProgramToRun;
  /** Finishes the sandbox. Call it once after the program has ended. `output` contains at least the last lines of the output. */
  finish(end: { exitCode: number | null; output: string }): Promise<SandboxReport>;
}

/** Restricts commands to changes that a checkpoint can restore, and to allowed hosts. */
export interface CommandSandbox {
  /** Checks whether a sandboxed program can start. Caches a success. After a failure, the next call checks again. */
  probe(): Promise<SandboxState>;
  /**
   * Prepares a command. Throws `SandboxError` if it cannot run in the sandbox. The caller must then request approval before it
   * runs the command outside the sandbox.
   */
  wrap(request: SandboxRequest): Promise<SandboxedCommand>;
  /** Prepares a program in the same way. */
  wrapProgram(request: SandboxedProgramRequest): Promise<SandboxedCommand>;
}

/** Reports that the command cannot run in the sandbox. The message is localized. */
export class SandboxError extends AppError {
  readonly code = 'sandbox';
}
