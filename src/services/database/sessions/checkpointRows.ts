import type { Attachment, EntryInput } from '../../../protocol/entries';
import type { Plan } from '../../../protocol/plan';
import type { ChatMode } from '../../../types/modes';
import { checkpointId, checkpointTime, checkpointMark, messageCheckpointTitle, nextMessageCheckpointId } from './checkpointName';
import { storableText } from '../log/entryFields';
import type { Statements } from '../sqlite/sqlite';

/** Statements on `checkpoints` for the log. Call the writing ones inside a write transaction. */

interface NewMessage {
  text: string;
  mode: ChatMode;
  attachments: readonly Attachment[];
  plan?: Plan;
  /** Time of the message that this message repeats. */
  repeats?: number | undefined;
}

/** Returns the log entries for a user message and for the checkpoint before it. Append them in one transaction. */
export function messageEntries({ text, mode, attachments, plan, repeats }: NewMessage, now: number): EntryInput[] {
  const id = checkpointId(now);
  const title = messageCheckpointTitle(text);
  const data = { mode, attachments: [...attachments], ...(plan && { plan }), ...(repeats !== undefined && { repeats }) };
  return [
    { type: 'checkpoint', data: { kind: 'message', title }, checkpointId: id },
    { type: 'user_input', content: text, data, checkpointId: id },
  ];
}

/** Returns the newest checkpoint id of all sessions. */
export function latestCheckpointId(statements: Statements): string | null {
  return (statements.statement('SELECT max(id) AS id FROM checkpoints').get()?.id ?? null) as string | null;
}

/**
 * Replaces the clock-based ID of the checkpoint before a message, in both entries, with an ID after
 * all existing IDs. This is needed because the clock may have been set back. See `messageEntries`.
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
    .get(sessionId, checkpointMark(given));
  return placed === undefined ? input : { ...input, checkpointId: String(placed.id) };
}

/** Writes the checkpoint rows for an entry: inserts the checkpoint before a message, or links the message to it. */
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

/** Updates the status and line counts of checkpoints from their file snapshots. */
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

/** Inserts a checkpoint without a manifest. It has only file snapshots until it is taken. */
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
