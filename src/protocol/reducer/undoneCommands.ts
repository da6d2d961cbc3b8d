import type { Entry, EntryOf } from '../entries';

/**
 * Returns the calls of commands whose changes a restore has undone. `entries` includes entries that a rewind removed, because
 * they changed files too.
 */
export function undoneCommands(entries: readonly Entry[]): ReadonlySet<string> {
  const undone = new Set<string>();
  /** `seq` of each call. */
  const calls = new Map<string, number>();
  /** Commands by restore ID, and whether the restore undoes or reapplies their changes. */
  const byOperation = new Map<string, { callIds: readonly string[]; isUndo: boolean }>();

  const addRestore = ({ data }: EntryOf<'restore'>): void => {
    const { operationId, undoes, undoneCall, fromSeq, left = [] } = data;
    const earlier = undoes === undefined ? undefined : byOperation.get(undoes);
    const since = fromSeq === undefined ? [] : [...calls].flatMap(([callId, seq]) => (seq >= fromSeq ? callId : []));
    const callIds = earlier?.callIds ?? [...since, ...(undoneCall === undefined ? [] : [undoneCall])];
    const isUndo = earlier?.isUndo !== true;
    if (operationId !== undefined) byOperation.set(operationId, { callIds, isUndo });
    for (const callId of callIds) {
      if (!isUndo) undone.delete(callId);
      else if (left.length === 0) undone.add(callId);
    }
  };

  for (const entry of entries) {
    if (entry.type === 'tool_call') calls.set(entry.data.callId, entry.seq);
    // A background command can change more files after its changes were undone.
    else if (entry.type === 'checkpoint' && entry.data.command !== undefined) undone.delete(entry.data.command.callId);
    else if (entry.type === 'restore') addRestore(entry);
  }
  return undone;
}
