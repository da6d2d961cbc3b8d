import type { Entry, EntryOf } from '../entries';

/** Returns the active compaction marker: the last marker that was not undone. */
export function activeMarker(conversation: readonly Entry[]): EntryOf<'compact_marker'> | undefined {
  const undone = new Set(conversation.flatMap((entry) => (entry.type === 'compact_undone' ? [entry.data.markerSeq] : [])));
  for (const entry of conversation.toReversed())
    if (entry.type === 'compact_marker' && entry.data.continues !== undefined && undone.has(entry.seq))
      undone.add(entry.data.continues);
  return conversation.findLast(
    (entry): entry is EntryOf<'compact_marker'> => entry.type === 'compact_marker' && !undone.has(entry.seq),
  );
}

/** Returns true if a marker replaces an entry. The entry is then not sent. */
export function isCompacted({ seq }: Pick<Entry, 'seq'>, marker: EntryOf<'compact_marker'> | undefined): boolean {
  return marker !== undefined && seq <= marker.data.throughSeq && marker.data.kept?.includes(seq) !== true;
}
