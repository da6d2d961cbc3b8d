import type { SandboxConfig } from '../../config/configTypes';
import type { CommandOutputs } from '../../services/terminal/run/commandOutputs';
import type { ProgramToRun } from '../../services/terminal/run/childProcessRunner';
import {
  SandboxError,
  type CommandSandbox,
  type SandboxedCommand,
  type SandboxReport,
  type SandboxRequest,
} from '../../services/terminal/sandbox/sandboxPorts';

type CommandToPrepare = Omit<SandboxRequest, 'onNote'> & { callId: string };

/** Prepares commands for the level *Run in the sandbox* and sets the hosts that they may reach. */
export class SandboxLevel {
  constructor(
    private readonly sandbox: CommandSandbox,
    private readonly config: () => Pick<SandboxConfig, 'network' | 'allowedHosts'>,
    /** Receives progress notes during a long preparation. */
    private readonly outputs?: Pick<CommandOutputs, 'note'>,
  ) {}

  /**
   * Prepares a command that may reach the allowed hosts of the session.
   * If it cannot run in the sandbox, resolves with a localized reason.
   */
  async prepare({ callId, ...request }: CommandToPrepare): Promise<SandboxedCommand | { reason: string }> {
    const onNote = (note: string | null): void => this.outputs?.note(request.sessionId, callId, note);
    try {
      return await this.sandbox.wrap({ ...request, hosts: this.reachable(request.hosts), onNote });
    } catch (error) {
      if (error instanceof SandboxError) return { reason: error.userMessage };
      throw error;
    }
  }

  /** Prepares a program from the user's settings, such as a tool server. Throws `SandboxError` if this fails. */
  async prepareProgram({ cwd, ...program }: ProgramToRun & { cwd: string }, signal: AbortSignal) {
    const sandboxed = await this.sandbox.wrapProgram({ program, cwd, signal, hosts: this.reachable([]) });
    const finish = (exitCode: number | null): Promise<SandboxReport> => sandboxed.finish({ exitCode, output: '' });
    return { program: sandboxed.program, finish };
  }

  /** Returns the blocked host that the user can allow, or null if there is none. */
  hostToAsk({ denials }: SandboxReport, hosts: readonly string[]): string | null {
    if (this.config().network === 'none') return null;
    const allowed = this.reachable(hosts);
    const denied = denials.find(({ kind, target }) => kind === 'network' && target !== null && !allowed.includes(target));
    return denied?.target ?? null;
  }

  private reachable(hosts: readonly string[]): string[] {
    const { network, allowedHosts } = this.config();
    return network === 'none' ? [] : [...new Set([...allowedHosts, ...hosts])];
  }
}
