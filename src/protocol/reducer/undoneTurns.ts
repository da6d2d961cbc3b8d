import type { Entry, EntryOf } from '../entries';
import { RestoreChains, type RestoreChain } from './restoreChains';

/** Restore from a message, and the turns it has undone. */
interface Undone {
  fromSeq: number;
  restoreSeq: number;
  /** `seq` of the restore that currently undoes the turns. Null if they are not undone. */
  through: number | null;
}

/** Entries in a conversation that restores have undone. */
export interface UndoneTurns {
  /** Returns the `seq` of the restore that undid the entry, or null if there is none. */
  by(seq: number): number | null;
  /** Summaries written while some of their turns were undone, if those turns are active again now. */
  staleMarkers: ReadonlySet<number>;
}

/**
 * Returns the entries that restores from a message have undone: all entries from the message to the restore. They are active
 * again if the user kept the turns or undid the restore of all files. `entries` includes entries that a rewind removed, because
 * restores among them still changed files. `conversation` is the result of `selectConversation`. Only summaries in it are used.
 */
export function undoneTurns(entries: readonly Entry[], conversation: readonly Entry[]): UndoneTurns {
  const all: Undone[] = [];
  const chains = new RestoreChains();
  const byChain = new Map<RestoreChain, Undone>();
  const staleMarkers = new Set<number>();

  const release = (undone: Undone, seq: number): void => {
    for (const entry of conversation)
      if (entry.type === 'compact_marker' && undone.through !== null && entry.seq > undone.through && entry.seq < seq)
        staleMarkers.add(entry.seq);
    undone.through = null;
  };
  const addRestore = (entry: EntryOf<'restore'>): void => {
    const { seq, data } = entry;
    const { chain, kind, restored } = chains.add(entry);
    const undone = byChain.get(chain);
    if (undone !== undefined) {
      if (restored === 'none' && undone.through !== null) release(undone, seq);
      else if (restored === 'all' && kind === 'repeat') undone.through = seq;
    } else if (data.fromSeq !== undefined) {
      const begun = { fromSeq: data.fromSeq, restoreSeq: seq, through: seq };
      all.push(begun);
      byChain.set(chain, begun);
    }
  };

  for (const entry of entries) {
    if (entry.type === 'restore') addRestore(entry);
    if (entry.type !== 'turns_kept') continue;
    const kept = all.find(({ restoreSeq }) => restoreSeq === entry.data.restoreSeq);
    if (kept !== undefined) release(kept, entry.seq);
  }
  return {
    by: (seq) => all.findLast(({ fromSeq, through }) => through !== null && fromSeq <= seq && seq < through)?.restoreSeq ?? null,
    staleMarkers,
  };
}
