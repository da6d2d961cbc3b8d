import type { Entry } from '../entries';

/** Earlier versions of a message that was sent again, edited or not. */
export interface ReplacedMessage {
  /** Checkpoint before the first version. */
  checkpointId: string | null;
  /** Files that still have changes of the replaced answers. */
  paths: readonly string[];
}

/**
 * Returns what each message replaced, by the `seq` of the message. `entries` includes the entries that a rewind
 * removed. If `isAtSending` is true, ignores everything after the message was sent, so that the result never changes.
 */
export function replacedMessages(entries: readonly Entry[], isAtSending = false): ReadonlyMap<number, ReplacedMessage> {
  const replaced = new Map<number, ReplacedMessage>();
  const messages = new Map<number, { firstSeq: number; checkpointId: string | null }>();
  let fromSeq: number | null = null;
  for (const { type, seq, checkpointId, data } of entries) {
    if (type === 'rewind') fromSeq = data.fromSeq;
    if (type !== 'user_input') continue;
    const earlier = fromSeq === null ? undefined : messages.get(fromSeq);
    const first = earlier ?? { firstSeq: seq, checkpointId };
    messages.set(seq, first);
    fromSeq = null;
    if (earlier === undefined) continue;
    const since = entries.filter((entry) => entry.seq >= first.firstSeq && (!isAtSending || entry.seq < seq));
    replaced.set(seq, { checkpointId: first.checkpointId, paths: leftPaths(since, seq, first.checkpointId) });
  }
  return replaced;
}

/** Returns the files that were changed before the entry `before` and whose changes were not undone. */
function leftPaths(entries: readonly Entry[], before: number, checkpointId: string | null): string[] {
  const left = new Set<string>();
  /** Files that a review or a restore undid. The key is the `seq` of the review or the ID of the restore. */
  const undone = new Map<number | string, readonly string[]>();
  const undo = (key: number | string | undefined, paths: readonly string[]): void => {
    const gone = paths.filter((path) => left.delete(path));
    if (key !== undefined) undone.set(key, gone);
  };
  const redo = (key: number | string, paths: readonly string[]): void => {
    for (const path of undone.get(key) ?? []) if (paths.includes(path)) left.add(path);
  };
  for (const { type, seq, data } of entries) {
    if (type === 'file_edit' && seq < before) left.add(data.newPath ?? data.path);
    else if (type === 'checkpoint' && seq < before) for (const { path } of data.command?.files ?? []) left.add(path);
    else if (type === 'review' && data.action === 'undo' && data.scope !== 'hunk') undo(seq, data.paths);
    else if (type === 'review' && data.action === 'revert' && data.targetSeq !== undefined) redo(data.targetSeq, data.paths);
    else if (type === 'restore') {
      if (data.undoes !== undefined && undone.has(data.undoes)) redo(data.undoes, data.paths);
      // A later checkpoint contains changes of the replaced answers.
      else if (checkpointId === null || data.targetCheckpointId <= checkpointId) undo(data.operationId, data.paths);
    }
  }
  return [...left];
}
