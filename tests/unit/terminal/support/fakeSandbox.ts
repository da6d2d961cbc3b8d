import type { ProgramToRun } from '../../../../src/services/terminal/run/childProcessRunner';
import {
  SandboxError,
  type CommandSandbox,
  type SandboxedCommand,
  type SandboxedProgramRequest,
  type SandboxReport,
  type SandboxRequest,
  type SandboxState,
} from '../../../../src/services/terminal/sandbox/sandboxPorts';

/** Sandbox that restricts nothing and returns the reports that a test sets. Runs commands with the shell. */
export class FakeSandbox implements CommandSandbox {
  state: SandboxState = { isAvailable: true };
  /** Reason for rejecting commands. Null if they are not rejected. */
  refusal: string | Error | null = null;
  readonly wrapped: SandboxRequest[] = [];
  readonly ends: { exitCode: number | null; output: string }[] = [];
  /** Reports for the commands, in order. Further commands get an empty report. */
  readonly reports: Partial<SandboxReport>[] = [];

  probe = async () => this.state;

  wrap = async (request: SandboxRequest) => {
    if (!this.state.isAvailable) throw new SandboxError('not available', this.state.reason);
    if (this.refusal instanceof Error) throw this.refusal;
    if (this.refusal !== null) throw new SandboxError('refused', this.refusal);
    this.wrapped.push(request);
    return this.prepared({ file: '/bin/sh', args: ['-c', request.command], env: process.env });
  };

  wrapProgram = async ({ program }: SandboxedProgramRequest) => Promise.resolve(this.prepared(program));

  private prepared(program: ProgramToRun): SandboxedCommand {
    return {
      program,
      finish: async (end: { exitCode: number | null; output: string }): Promise<SandboxReport> => {
        this.ends.push(end);
        return { denials: [], reverted: [], ...this.reports.shift() };
      },
    };
  }
}
