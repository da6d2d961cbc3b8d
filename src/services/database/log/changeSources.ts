import type { Connection } from '../sqlite/connection';

/** Source of a change. `agent`: edit by this chat. `command`: change by a command of this chat. `chat`: edit by another chat. */
export type ChangeSource = 'agent' | 'command' | 'chat';

/** Absolute paths of files that chats changed, including former names of renamed files. Ignores edits that were undone. */
export interface ChangeSources {
  /** Files with an edit of this chat that the user kept. */
  kept: ReadonlySet<string>;
  /** Other files with pending edits of this chat. These edits may all have been overwritten since. */
  pending: ReadonlySet<string>;
  /** Files that other chats edited. */
  others: ReadonlySet<string>;
  /** Files that commands changed, as named in the conversation. */
  commands: ReadonlySet<string>;
}

/** Returns the sources of file changes since a time in milliseconds. */
export function changeSources(connection: Connection, sessionId: string, since: number): ChangeSources {
  const found = { kept: new Set<string>(), pending: new Set<string>(), others: new Set<string>() };
  const rows = connection.statement(
    `SELECT DISTINCT path, moved_from, session_id = :session AS is_own, status = 'kept' OR EXISTS (
         SELECT 1 FROM hunk_answers WHERE snapshot_id = file_snapshots.id AND action = 'keep' AND review_seq IS NOT NULL
       ) AS is_kept
     FROM file_snapshots WHERE created_at >= :since AND (status <> 'undone' OR is_kept)`,
  );
  for (const { path, moved_from: former, is_own: isOwn, is_kept: isKept } of rows.all({ session: sessionId, since })) {
    const files = isOwn !== 1 ? found.others : isKept === 1 ? found.kept : found.pending;
    for (const file of [path, former]) if (typeof file === 'string') files.add(file);
  }
  const listed = connection.statement(
    `SELECT DISTINCT json_extract(file.value, '$.path') AS path
     FROM messages AS entry, json_each(CASE WHEN json_valid(entry.data) THEN entry.data ELSE '{}' END, '$.command.files') AS file
     WHERE entry.session_id = ? AND entry.type = 'checkpoint' AND entry.timestamp >= ?`,
  );
  return { ...found, commands: new Set(listed.all(sessionId, since).map(({ path }) => String(path))) };
}
