import assert from 'node:assert/strict';
import type { Entry } from '../../src/protocol/entries';
import type { Timeline } from '../../src/protocol/timeline';
import { reduceTimeline } from '../../src/protocol/reducer/timelineReducer';
import type { LogEvent } from '../../src/protocol/webviewEvents';
import type { Event } from '../../src/utils/emitter';
import { EntryLog as ViewedLog, type Applied } from '../../src/webview/sessions/entryLog';

interface ReadableLog {
  readonly onDidChange: Event<LogEvent>;
  read(sessionId: string, sinceRevision: number): Promise<{ entries: Entry[]; revision: number }>;
}

/** Collects the entries of each session as a view would that was open from the beginning, with the view's own code. */
export class LiveView {
  private readonly copies = new Map<string, ViewedLog>();
  /** Events that could not be applied. A real view would have had to reload. */
  readonly misfits: { event: LogEvent; outcome: Applied }[] = [];
  private readonly watchers = new Set<() => void>();

  constructor(log: Pick<ReadableLog, 'onDidChange'>) {
    log.onDidChange((event) => this.hear(event));
  }

  entries(sessionId: string): readonly Entry[] {
    return this.copyOf(sessionId).entries;
  }

  revision(sessionId: string): number {
    return this.copyOf(sessionId).revision;
  }

  timeline(sessionId: string, isLive: boolean): Timeline {
    return reduceTimeline(this.entries(sessionId), { isLive });
  }

  /** Resolves with the first entry for which `fits` is true, now or later. */
  async waitFor(sessionId: string, fits: (entry: Entry) => boolean): Promise<Entry> {
    for (;;) {
      const found = this.entries(sessionId).find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => {
        const watcher = (): void => {
          this.watchers.delete(watcher);
          resolve();
        };
        this.watchers.add(watcher);
      });
    }
  }

  private hear(event: LogEvent): void {
    const outcome = this.copyOf(event.sessionId).apply(event);
    if (outcome === 'gap' || outcome === 'conflict') this.misfits.push({ event, outcome });
    for (const watcher of [...this.watchers]) watcher();
  }

  private copyOf(sessionId: string): ViewedLog {
    let copy = this.copies.get(sessionId);
    if (!copy) this.copies.set(sessionId, (copy = new ViewedLog()));
    return copy;
  }
}

/** Asserts that a restart shows the same entries and timeline as the live view, without any reload. */
export async function assertLiveEqualsRestored(
  view: LiveView,
  log: Pick<ReadableLog, 'read'>,
  sessionId: string,
  isLive = false,
): Promise<void> {
  const restored = await log.read(sessionId, 0);
  assert.deepEqual(view.timeline(sessionId, isLive), reduceTimeline(restored.entries, { isLive }));
  assert.deepEqual(view.entries(sessionId), restored.entries);
  assert.equal(view.revision(sessionId), restored.revision);
  assert.deepEqual(view.misfits, []);
}
