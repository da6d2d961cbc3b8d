import type { Entry, EntryOf } from '../entries';

/** A restore from a message, and what it has undone of the conversation. */
interface Undone {
  fromSeq: number;
  restoreSeq: number;
  /** `seq` of the restore since which the turns are undone; null while they are not. */
  through: number | null;
}

/** Entries of a conversation that restores have undone. */
export interface UndoneTurns {
  /** Returns the restore that has undone the entry, by its `seq`; null if none has. */
  by(seq: number): number | null;
  /** Summaries that were made while a part of what they stand for was undone, and is not any more. */
  staleMarkers: ReadonlySet<number>;
}

/**
 * Returns what restores from a message have undone: all from that message to the restore, unless the person has kept it or undone the restore.
 * `entries` with those that a rewind has taken out: a restore among them has brought files back all the same. `conversation` as of
 * `conversationOf`: a summary counts in it alone.
 */
export function undoneTurns(entries: readonly Entry[], conversation: readonly Entry[]): UndoneTurns {
  const all: Undone[] = [];
  /** By the ids of the restores: those that undo one another are about the same turns. */
  const byOperation = new Map<string, Undone>();
  const staleMarkers = new Set<number>();

  const release = (undone: Undone, seq: number): void => {
    for (const entry of conversation)
      if (entry.type === 'compact_marker' && undone.through !== null && entry.seq > undone.through && entry.seq < seq)
        staleMarkers.add(entry.seq);
    undone.through = null;
  };
  const addRestore = ({ seq, data }: EntryOf<'restore'>): void => {
    const { operationId, undoes, fromSeq, left = [] } = data;
    let undone = undoes === undefined ? undefined : byOperation.get(undoes);
    if (undone !== undefined) {
      if (undone.through !== null) release(undone, seq);
      else if (left.length === 0) undone.through = seq;
    } else if (fromSeq !== undefined) {
      undone = { fromSeq, restoreSeq: seq, through: seq };
      all.push(undone);
    }
    if (undone !== undefined && operationId !== undefined) byOperation.set(operationId, undone);
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
