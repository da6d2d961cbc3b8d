import type { Entry } from '../../protocol/entries';
import type { SessionSnapshot } from '../../protocol/requests/sessionRequests';
import type { LogEvent } from '../../protocol/webviewEvents';

/**
 * Result of applying an event. `gap`: an earlier event is missing. `conflict`: the event
 * contradicts the copy, so the whole log is needed.
 */
export type Applied = 'applied' | 'ignored' | 'gap' | 'conflict';

type Snapshot = Pick<SessionSnapshot, 'entries' | 'revision'> & { hasEarlier?: boolean };
type EntryEvent = Extract<LogEvent, { kind: 'entry' }>;
type DeltaEvent = Extract<LogEvent, { kind: 'delta' }>;

/**
 * Copy of a session's log, which can start at a later entry. Entries are replaced, never changed, so a new identity means a
 * change. Ignores events about entries before the first one, because these entries are loaded later.
 */
export class EntryLog {
  private sorted: Entry[] = [];
  private lastRevision = 0;
  private first = 1;

  get entries(): readonly Entry[] {
    return this.sorted;
  }

  /** Latest revision up to which no event is missing. */
  get revision(): number {
    return this.lastRevision;
  }

  /** `seq` of the first entry in the copy. 1 if the copy is the whole log. */
  get firstSeq(): number {
    return this.first;
  }

  /**
   * Adds the log after `sinceRevision`. If it is 0, the snapshot replaces everything and can omit older entries. If a rewind
   * goes back to the first entry or further, changes nothing and returns `conflict`.
   */
  applySnapshot(snapshot: Snapshot, sinceRevision: number): Extract<Applied, 'applied' | 'conflict'> {
    if (sinceRevision > 0 && snapshot.entries.some((entry) => this.rewindsBeyond(entry))) return 'conflict';
    const before = this.sorted;
    if (sinceRevision === 0) {
      this.sorted = [];
      this.first = snapshot.hasEarlier === true ? (snapshot.entries[0]?.seq ?? 1) : 1;
    }
    for (const entry of snapshot.entries) this.put(sinceRevision === 0 ? entry : keepingLiveText(entry, find(before, entry.seq)));
    this.lastRevision = sinceRevision === 0 ? snapshot.revision : Math.max(this.lastRevision, snapshot.revision);
    return 'applied';
  }

  prepend(page: Pick<SessionSnapshot, 'entries' | 'hasEarlier'>): void {
    const earlier = page.entries.filter(({ seq }) => seq < this.first);
    this.first = page.hasEarlier ? (earlier[0]?.seq ?? this.first) : 1;
    this.sorted = [...earlier, ...this.sorted];
  }

  apply(event: LogEvent): Applied {
    return event.kind === 'entry' ? this.applyEntry(event) : this.applyDelta(event);
  }

  private applyEntry(event: EntryEvent): Applied {
    if (event.revision <= this.lastRevision) return 'ignored';
    if (event.revision > this.lastRevision + 1) return 'gap';
    if (this.rewindsBeyond(event.entry)) return 'conflict';
    this.put(event.entry);
    this.lastRevision = event.revision;
    return 'applied';
  }

  private applyDelta(event: DeltaEvent): Applied {
    if (event.seq < this.first) return event.revision === undefined ? 'ignored' : this.advance(event.revision, false);
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
    if (revision <= this.lastRevision) return 'ignored';
    if (revision > this.lastRevision + 1) return 'gap';
    this.lastRevision = revision;
    return changed ? 'applied' : 'ignored';
  }

  /**
   * Returns true for a new rewind to the first entry of the copy or an earlier one. The next answer
   * then continues a turn that starts before the copy.
   */
  private rewindsBeyond(entry: Entry): boolean {
    const isNew = entry.revision > this.lastRevision;
    return isNew && this.first > 1 && entry.type === 'rewind' && entry.data.fromSeq <= this.first;
  }

  private put(entry: Entry): void {
    if (entry.seq < this.first) return;
    const index = findIndex(this.sorted, entry.seq);
    const isKnown = this.sorted[index]?.seq === entry.seq;
    this.sorted.splice(index, isKnown ? 1 : 0, entry);
  }
}

/** Keeps text that is already shown but was not stored when the log was read. */
function keepingLiveText(entry: Entry, known: Entry | undefined): Entry {
  const isAhead = entry.isOpen && known?.isOpen === true && known.content.length > entry.content.length;
  return isAhead && known.content.startsWith(entry.content) ? { ...entry, content: known.content } : entry;
}

function find(entries: readonly Entry[], seq: number): Entry | undefined {
  const entry = entries[findIndex(entries, seq)];
  return entry?.seq === seq ? entry : undefined;
}

/** Returns the index of the entry `seq`, or the index where to insert it. */
function findIndex(entries: readonly Entry[], seq: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
