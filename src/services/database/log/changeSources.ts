import type { Connection } from '../sqlite/connection';

/** `agent`: edit by this chat. `command`: change by a command of this chat. `chat`: edit by another chat. */
export type ChangeSource = 'agent' | 'command' | 'chat';

/** Files changed by chats. */
export interface ChangeSources {
  /** Edits that were not undone, by absolute path. Includes former names of renamed files. */
  edits: ReadonlyMap<string, 'agent' | 'chat'>;
  /** Paths as named in the conversation. */
  commands: ReadonlySet<string>;
}

/** Returns who changed files since a time in milliseconds. If several did, this chat's edits win. */
export function changeSources(connection: Connection, sessionId: string, since: number): ChangeSources {
  const edits = new Map<string, 'agent' | 'chat'>();
  const rows = connection.statement(
    `SELECT DISTINCT path, moved_from, session_id = ? AS is_own FROM file_snapshots
     WHERE status <> 'undone' AND created_at >= ? ORDER BY is_own`,
  );
  for (const { path, moved_from: former, is_own: isOwn } of rows.all(sessionId, since)) {
    for (const file of [path, former]) if (typeof file === 'string') edits.set(file, isOwn === 1 ? 'agent' : 'chat');
  }
  const listed = connection.statement(
    `SELECT DISTINCT json_extract(file.value, '$.path') AS path
     FROM messages AS entry, json_each(CASE WHEN json_valid(entry.data) THEN entry.data ELSE '{}' END, '$.command.files') AS file
     WHERE entry.session_id = ? AND entry.type = 'checkpoint' AND entry.timestamp >= ?`,
  );
  return { edits, commands: new Set(listed.all(sessionId, since).map(({ path }) => String(path))) };
}
