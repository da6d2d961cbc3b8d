import type { SessionSnapshot } from '../../protocol/requests/sessionRequests';
import type { LogEvent } from '../../protocol/webviewEvents';
import { EntryLog } from './entryLog';

export interface SyncPorts {
  fetch(sinceRevision: number): Promise<SessionSnapshot>;
  /** Reads whole turns before an entry. */
  fetchEarlier(beforeSeq: number): Promise<Pick<SessionSnapshot, 'entries' | 'hasEarlier'>>;
  onSnapshot(snapshot: SessionSnapshot): void;
  onChange(): void;
  onProblem(error: unknown): void;
  delay(milliseconds: number): Promise<void>;
}

const longestPause = 1000;
const mostFailures = 5;
const mostRounds = 8;

/**
 * Keeps a copy of a session's log in sync with the extension's log, even if events are lost, repeated or late. If an event
 * cannot be applied, requests everything after the last revision. New events are queued during the request.
 */
export class SessionSync {
  readonly log = new EntryLog();
  private waiting: LogEvent[] = [];
  private running: Promise<void> | null = null;
  private isClosed = false;

  constructor(private readonly ports: SyncPorts) {}

  hear(event: LogEvent): void {
    if (this.isClosed) return;
    this.waiting.push(event);
    if (this.running !== null) return;
    const outcome = this.takeWaiting();
    if (outcome !== 'ok') void this.resumeFrom(outcome === 'conflict' ? 0 : this.log.revision);
  }

  /** Requests missing entries. Resolves when the copy is complete or the request failed. */
  resume(): Promise<void> {
    return this.resumeFrom(this.log.revision);
  }

  /** Adds earlier turns. Rejects if the request fails. */
  async loadEarlier(): Promise<void> {
    const before = this.log.firstSeq;
    if (before === 1 || this.isClosed) return;
    const page = await this.ports.fetchEarlier(before);
    // The copy was restarted and has another first entry.
    if (this.isClosed || this.log.firstSeq !== before) return;
    this.log.prepend(page);
    this.ports.onChange();
  }

  close(): void {
    this.isClosed = true;
    this.waiting = [];
  }

  private resumeFrom(revision: number): Promise<void> {
    this.running ??= this.catchUp(revision);
    return this.running;
  }

  private async catchUp(revision: number): Promise<void> {
    try {
      await this.askUntilWhole(revision);
    } finally {
      this.running = null;
    }
  }

  private async askUntilWhole(revision: number): Promise<void> {
    let since = revision;
    let failures = 0;
    for (let round = 0; !this.isClosed; round += 1) {
      if (round > 0) await this.ports.delay(Math.min(longestPause, 50 * 2 ** round));
      const snapshot = await this.ports.fetch(since).catch((error: unknown) => {
        failures += 1;
        if (failures === mostFailures) this.ports.onProblem(error);
        return null;
      });
      if (this.isClosed || failures === mostFailures) return;
      if (snapshot === null) continue;
      if (this.log.applySnapshot(snapshot, since) === 'conflict') {
        since = 0;
        continue;
      }
      this.ports.onSnapshot(snapshot);
      const outcome = this.takeWaiting();
      this.ports.onChange();
      if (outcome === 'ok') return;
      since = outcome === 'conflict' ? 0 : this.log.revision;
      // Drop an event that still cannot be applied.
      if (round >= mostRounds) this.waiting.shift();
    }
  }

  /** Applies queued events in order, up to the first event that cannot be applied. The others stay queued. */
  private takeWaiting(): 'ok' | 'gap' | 'conflict' {
    const events = this.waiting;
    let isChanged = false;
    for (let index = 0; index < events.length; index += 1) {
      const outcome = this.log.apply(events[index] as LogEvent);
      if (outcome === 'applied') isChanged = true;
      if (outcome === 'gap' || outcome === 'conflict') {
        this.waiting = outcome === 'gap' ? events.slice(index) : [];
        if (isChanged) this.ports.onChange();
        return outcome;
      }
    }
    this.waiting = [];
    if (isChanged) this.ports.onChange();
    return 'ok';
  }
}
