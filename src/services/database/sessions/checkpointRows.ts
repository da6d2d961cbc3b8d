import type { Attachment, EntryInput } from '../../../protocol/entries';
import type { Plan } from '../../../protocol/plan';
import type { ChatMode } from '../../../types/modes';
import { checkpointId, checkpointTime, markOf, messageCheckpointTitle, nextMessageCheckpointId } from './checkpointName';
import { storableText } from '../log/entryFields';
import type { Statements } from '../sqlite/sqlite';

/** The statements on `checkpoints` that belong to the log. Those that write run inside a write transaction. */

/** Returns a user message and, before it, its checkpoint: append them in one transaction. */
export function messageEntries(
  { text, mode, attachments, plan }: { text: string; mode: ChatMode; attachments: readonly Attachment[]; plan?: Plan },
  now: number,
): EntryInput[] {
  const id = checkpointId(now);
  const title = messageCheckpointTitle(text);
  return [
    { type: 'checkpoint', data: { kind: 'message', title }, checkpointId: id },
    { type: 'user_input', content: text, data: { mode, attachments: [...attachments], ...(plan && { plan }) }, checkpointId: id },
  ];
}

/** Returns the last checkpoint of all sessions. */
export function latestCheckpointId(statements: Statements): string | null {
  return (statements.statement('SELECT max(id) AS id FROM checkpoints').get()?.id ?? null) as string | null;
}

/**
 * Names the checkpoint of an entry by its place. A message and its checkpoint name it by the clock (`messageEntries`); the log names it
 * by
 * its place after all that are there, even if the clock was set back.
 */
export function withPlacedCheckpoint(statements: Statements, sessionId: string, input: EntryInput): EntryInput {
  const given = input.checkpointId ?? null;
  if (given === null) return input;
  if (input.type === 'checkpoint' && input.data.kind === 'message') {
    return { ...input, checkpointId: nextMessageCheckpointId(latestCheckpointId(statements), given) };
  }
  if (input.type !== 'user_input') return input;
  const placed = statements
    .statement(
      `SELECT id FROM checkpoints WHERE session_id = ? AND kind = 'message' AND message_id IS NULL AND id LIKE '%' || ?
       ORDER BY id DESC LIMIT 1`,
    )
    .get(sessionId, markOf(given));
  return placed === undefined ? input : { ...input, checkpointId: String(placed.id) };
}

/** Writes what belongs to an entry about a checkpoint: the checkpoint itself before a message, then the message it is before. */
export function noteCheckpoint(
  statements: Statements,
  sessionId: string,
  entry: { id: string; input: EntryInput; now: number },
): void {
  const { id, input, now } = entry;
  const checkpoint = input.checkpointId ?? null;
  if (checkpoint === null) return;
  if (input.type === 'checkpoint' && input.data.kind === 'message') {
    if (isFirst(statements, sessionId))
      insertCheckpoint(statements, sessionId, {
        id: checkpointId(checkpointTime(checkpoint) - 1),
        kind: 'initial',
        title: 'Initial state',
        now,
      });
    insertCheckpoint(statements, sessionId, { id: checkpoint, kind: 'message', title: input.data.title, now });
  } else if (input.type === 'user_input') {
    statements.statement('UPDATE checkpoints SET message_id = ? WHERE id = ?').run(id, checkpoint);
  }
}

/** Brings the status and the counts of checkpoints in line with those of their files. */
export function rollUp(statements: Statements, checkpoints: Iterable<string>): void {
  for (const id of new Set(checkpoints)) {
    statements
      .statement(
        `UPDATE checkpoints SET (status, total_additions, total_deletions) = (
           SELECT CASE WHEN min(status) = max(status) THEN min(status) ELSE 'partial' END, sum(additions), sum(deletions)
           FROM file_snapshots WHERE checkpoint_id = :id)
         WHERE id = :id AND EXISTS (SELECT 1 FROM file_snapshots WHERE checkpoint_id = :id)`,
      )
      .run({ id });
  }
}

/** Inserts a checkpoint without a manifest, which restores from its file snapshots until its state is set. */
function insertCheckpoint(
  statements: Statements,
  sessionId: string,
  { id, kind, title, now }: Record<'id' | 'kind' | 'title', string> & { now: number },
): void {
  statements
    .statement(
      `INSERT INTO checkpoints (id, session_id, kind, title, parent_id, state, created_at)
       VALUES (:id, :session, :kind, :title,
         (SELECT id FROM checkpoints WHERE session_id = :session ORDER BY id DESC LIMIT 1), 'failed', :now)`,
    )
    .run({ id, session: sessionId, kind, title: storableText(title), now });
}

function isFirst(statements: Statements, sessionId: string): boolean {
  return statements.statement('SELECT 1 FROM checkpoints WHERE session_id = ?').get(sessionId) === undefined;
}
