import { AppError } from '../../../utils/errors';
import type { ProgramToRun } from '../run/childProcessRunner';

/** Availability of the sandbox on this machine. `reason` is localized; `fix` is a command that installs or allows what is missing. */
export type SandboxState = { isAvailable: true } | { isAvailable: false; reason: string; fix: string | null };

/** Access that the sandbox denied: to a host on the network, or to write a path. `target` is null if the output does not name it. */
export interface Denial {
  kind: 'network' | 'write';
  target: string | null;
}

/** Events of one command in the sandbox. */
export interface SandboxReport {
  denials: readonly Denial[];
  /** Settings and hooks of Git that the command changed and that were restored, relative to the workspace. */
  reverted: readonly string[];
  /** True if a denial needed a decision and no user or client could answer. */
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
  /** Receives what a long preparation does, localized, then null at its end. */
  onNote?: (note: string | null) => void;
}

/** A program that communicates over its input and output, such as a tool server. It runs until it ends or is ended. */
export interface SandboxedProgramRequest extends Omit<SandboxRequest, 'sessionId' | 'command'> {
  /** Its environment is used as it is, with the folder for temporary files of the sandbox. */
  program: Omit<ProgramToRun, 'cwd'>;
}

/** A command that runs in the sandbox. */
export interface SandboxedCommand {
  program: ProgramToRun;
  /** Call once, when the program has ended. `output` is text of the command, at least its last lines. */
  finish(end: { exitCode: number | null; output: string }): Promise<SandboxReport>;
}

/** Runs commands so that they change only what a checkpoint can restore, and reach only allowed hosts. */
export interface CommandSandbox {
  /** Checks whether a sandboxed program can start. A success is remembered, a failure is checked again. */
  probe(): Promise<SandboxState>;
  /** Prepares a command. Throws `SandboxError` if it cannot run in the sandbox; the caller must then ask, not run it without. */
  wrap(request: SandboxRequest): Promise<SandboxedCommand>;
  /** The same for a program. */
  wrapProgram(request: SandboxedProgramRequest): Promise<SandboxedCommand>;
}

/** The command cannot run in the sandbox. The message is localized. */
export class SandboxError extends AppError {
  readonly code = 'sandbox';
}
