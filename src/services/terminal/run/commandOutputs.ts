import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import { cutTail } from '../../../types/cutText';

/** Limits for the output that a view shows while the command runs, in lines and characters. */
const tailLines = 20;
const tailCharacters = 4000;

/** Output of a running command so far: the first and last lines, without control sequences and possible keys. */
export interface TrackedOutput {
  callId: string;
  output: string;
  /** Localized text about the preparation of the command, before it starts. */
  note?: string;
  /** Start time of the command, in milliseconds since the epoch. */
  startedAt?: number;
}

/** User actions on one running command. */
export interface CommandActions {
  /** Ends the command, but not the run. */
  stop: () => void;
  /** Ends the tool call, but not the command. */
  continueInBackground: () => void;
}

/**
 * Output of the running commands, and the user actions on each command.
 * Kept in memory only. The log contains the result of each command.
 */
export class CommandOutputs implements Disposable {
  private readonly sessions = new Map<string, Map<string, TrackedOutput>>();
  private readonly actions = new Map<string, CommandActions>();
  private readonly changes: Emitter<{ sessionId: string }>;

  constructor(logger: Logger) {
    this.changes = new Emitter((error) => logger.error('A listener of command output failed', error));
  }

  /** Fires when a running command of a session has printed something, and when it ends. */
  get onDidChange() {
    return this.changes.event;
  }

  /** Returns the commands of a session that are being prepared or have printed something, in their start order. */
  of(sessionId: string): TrackedOutput[] {
    return this.all(sessionId).filter(({ output, note }) => output !== '' || note !== undefined);
  }

  /** Returns all commands of a session that are being prepared or are running, with the last lines only. */
  listTails(sessionId: string): TrackedOutput[] {
    return this.all(sessionId).map((printed) => ({ ...printed, output: cutLastLines(printed.output) }));
  }

  /** Adds a command that is about to start. */
  begin(sessionId: string, callId: string, startedAt: number, actions: CommandActions): void {
    this.actions.set(createKey(sessionId, callId), actions);
    this.put(sessionId, { callId, output: '', startedAt });
  }

  set(sessionId: string, callId: string, output: string): void {
    const startedAt = this.sessions.get(sessionId)?.get(callId)?.startedAt;
    this.put(sessionId, { callId, output, ...(startedAt !== undefined && { startedAt }) });
  }

  /** Stops a running command. Does nothing if it has ended. */
  stop(sessionId: string, callId: string): void {
    this.actions.get(createKey(sessionId, callId))?.stop();
  }

  /** Lets a running command continue in the background. Does nothing if it has ended. */
  continueInBackground(sessionId: string, callId: string): void {
    this.actions.get(createKey(sessionId, callId))?.continueInBackground();
  }

  /** Sets the text about the preparation of a command. Null clears the text when the preparation is done. */
  note(sessionId: string, callId: string, note: string | null): void {
    if (note === null) this.end(sessionId, callId);
    else this.put(sessionId, { callId, output: '', note });
  }

  /** Removes the output of a command that has ended. */
  end(sessionId: string, callId: string): void {
    this.actions.delete(createKey(sessionId, callId));
    const outputs = this.sessions.get(sessionId);
    if (outputs?.delete(callId) !== true) return;
    if (outputs.size === 0) this.sessions.delete(sessionId);
    this.changes.fire({ sessionId });
  }

  private all(sessionId: string): TrackedOutput[] {
    return [...(this.sessions.get(sessionId)?.values() ?? [])];
  }

  private put(sessionId: string, printed: TrackedOutput): void {
    const outputs = this.sessions.get(sessionId) ?? new Map<string, TrackedOutput>();
    this.sessions.set(sessionId, outputs.set(printed.callId, printed));
    this.changes.fire({ sessionId });
  }

  dispose(): void {
    this.changes.dispose();
    this.sessions.clear();
    this.actions.clear();
  }
}

function createKey(sessionId: string, callId: string): string {
  return JSON.stringify([sessionId, callId]);
}

function cutLastLines(output: string): string {
  const tail = output.split('\n').slice(-tailLines).join('\n');
  return tail.length <= tailCharacters ? tail : `…${cutTail(tail, tailCharacters)}`;
}
