import type { Entry } from '../../protocol/entries';
import type { SessionSnapshot } from '../../protocol/hostApi';
import type { LogEvent } from '../../protocol/webviewEvents';

/**
 * What became of an event. `gap`: something before it is missing. `conflict`: it contradicts what is here, so that only
 * the whole log helps.
 */
export type Applied = 'applied' | 'ignored' | 'gap' | 'conflict';

type EntryEvent = Extract<LogEvent, { kind: 'entry' }>;
type DeltaEvent = Extract<LogEvent, { kind: 'delta' }>;

/** A copy of one session's log. Entries are never changed, only replaced: their identity says whether they changed. */
export class SessionLog {
  private sorted: Entry[] = [];
  private lastRevision = 0;

  get entries(): readonly Entry[] {
    return this.sorted;
  }

  /** The last revision of which nothing is missing here. */
  get revision(): number {
    return this.lastRevision;
  }

  /** Takes in the log after `sinceRevision`; from 0 it replaces everything. */
  applySnapshot(snapshot: Pick<SessionSnapshot, 'entries' | 'revision'>, sinceRevision: number): void {
    const before = this.sorted;
    if (sinceRevision === 0) this.sorted = [];
    for (const entry of snapshot.entries) this.put(sinceRevision === 0 ? entry : keepingLiveText(entry, find(before, entry.seq)));
    this.lastRevision = sinceRevision === 0 ? snapshot.revision : Math.max(this.lastRevision, snapshot.revision);
  }

  apply(event: LogEvent): Applied {
    return event.kind === 'entry' ? this.applyEntry(event) : this.applyDelta(event);
  }

  private applyEntry(event: EntryEvent): Applied {
    if (event.revision <= this.lastRevision) return 'ignored';
    if (event.revision > this.lastRevision + 1) return 'gap';
    this.put(event.entry);
    this.lastRevision = event.revision;
    return 'applied';
  }

  private applyDelta(event: DeltaEvent): Applied {
    const entry = find(this.sorted, event.seq);
    if (entry === undefined) return 'gap';
    const isPast = event.revision !== undefined && event.revision <= this.lastRevision;
    if (!entry.isOpen) return isPast || event.revision === undefined ? 'ignored' : this.advance(event.revision, false);
    if (event.offset > entry.content.length) return 'gap';

    const known = entry.content.length - event.offset;
    if (entry.content.slice(event.offset, event.offset + event.text.length) !== event.text.slice(0, known)) return 'conflict';
    const added = event.text.slice(known);
    if (added !== '') this.put({ ...entry, content: entry.content + added });
    if (event.revision === undefined || isPast) return added === '' ? 'ignored' : 'applied';
    return this.advance(event.revision, added !== '');
  }

  private advance(revision: number, changed: boolean): Applied {
    if (revision > this.lastRevision + 1) return 'gap';
    this.lastRevision = revision;
    return changed ? 'applied' : 'ignored';
  }

  private put(entry: Entry): void {
    const index = indexOf(this.sorted, entry.seq);
    const isKnown = this.sorted[index]?.seq === entry.seq;
    this.sorted.splice(index, isKnown ? 1 : 0, entry);
  }
}

/** Text that was shown before it was durable stays on screen when the log is asked in between. */
function keepingLiveText(entry: Entry, known: Entry | undefined): Entry {
  const isAhead = entry.isOpen && known?.isOpen === true && known.content.length > entry.content.length;
  return isAhead && known.content.startsWith(entry.content) ? { ...entry, content: known.content } : entry;
}

function find(entries: readonly Entry[], seq: number): Entry | undefined {
  const entry = entries[indexOf(entries, seq)];
  return entry?.seq === seq ? entry : undefined;
}

/** Where the entry `seq` is or belongs. */
function indexOf(entries: readonly Entry[], seq: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
