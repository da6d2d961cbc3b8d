import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import { tailOf } from '../../../types/cutText';

/** Largest part of an output that a view shows while the command runs, in lines and characters. */
const tailLines = 20;
const tailCharacters = 4000;

/** Output of a running command so far: its first and last lines, without control sequences and possible keys. */
export interface CommandOutput {
  callId: string;
  output: string;
  /** Text about what is done before the command starts, localized. */
  note?: string;
}

/** Output of the commands that run now. It is in memory only: the log gets the result of a command. */
export class CommandOutputs implements Disposable {
  private readonly sessions = new Map<string, Map<string, CommandOutput>>();
  private readonly changes: Emitter<{ sessionId: string }>;

  constructor(logger: Logger) {
    this.changes = new Emitter((error) => logger.error('A listener of command output failed', error));
  }

  /** Fires when a running command of a session has printed something, and when it ends. */
  get onDidChange() {
    return this.changes.event;
  }

  /** Returns the commands of a session that are prepared, or run and have printed something, in the order of their start. */
  of(sessionId: string): CommandOutput[] {
    return [...(this.sessions.get(sessionId)?.values() ?? [])];
  }

  /** Returns the same with the last lines only. */
  tailsOf(sessionId: string): CommandOutput[] {
    return this.of(sessionId).map((printed) => ({ ...printed, output: lastLinesOf(printed.output) }));
  }

  set(sessionId: string, callId: string, output: string): void {
    this.put(sessionId, { callId, output });
  }

  /** Sets what is done before a command starts; null when it is done. */
  note(sessionId: string, callId: string, note: string | null): void {
    if (note === null) this.end(sessionId, callId);
    else this.put(sessionId, { callId, output: '', note });
  }

  /** Forgets the output of a command that has ended. */
  end(sessionId: string, callId: string): void {
    const outputs = this.sessions.get(sessionId);
    if (outputs?.delete(callId) !== true) return;
    if (outputs.size === 0) this.sessions.delete(sessionId);
    this.changes.fire({ sessionId });
  }

  private put(sessionId: string, printed: CommandOutput): void {
    const outputs = this.sessions.get(sessionId) ?? new Map<string, CommandOutput>();
    this.sessions.set(sessionId, outputs.set(printed.callId, printed));
    this.changes.fire({ sessionId });
  }

  dispose(): void {
    this.changes.dispose();
    this.sessions.clear();
  }
}

function lastLinesOf(output: string): string {
  const tail = output.split('\n').slice(-tailLines).join('\n');
  return tail.length <= tailCharacters ? tail : `…${tailOf(tail, tailCharacters)}`;
}
