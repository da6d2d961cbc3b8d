import { carefulMode, chatModes, type ChatMode } from '../../../types/modes';
import type { SessionRecord } from '../../../types/session';
import { storableText } from '../log/entryFields';

export interface NewSession {
  mode: ChatMode;
  model: string | null;
  title: string;
  projectPath: string | null;
  /** Default: 0. */
  auto_approve_commands?: 0 | 1;
  auto_approve_sensitive_edits?: 0 | 1;
  /** Default: none. */
  sensitive_file_patterns?: string | null;
  /** Model of the session's explorations. Default: the one of the settings. */
  explorer_model?: string | null;
}

/** Columns of a session that may be changed by themselves. */
export const patchable = [
  ...(['title', 'mode', 'model', 'status'] as const),
  ...(['auto_approve_commands', 'auto_approve_sensitive_edits', 'allowed_commands', 'sensitive_file_patterns'] as const),
  ...(['explorer_model', 'session_memory'] as const),
];
export type SessionPatch = Partial<Pick<SessionRecord, (typeof patchable)[number]>>;

export const sessionColumns =
  'id, title, mode, model, status, owner, heartbeat_at, revision, auto_approve_commands, auto_approve_sensitive_edits, ' +
  'allowed_commands, sensitive_file_patterns, explorer_model, session_memory, project_path, imported, created_at, updated_at';

/** Makes a text storable that SQLite cannot hold. */
export const storable = <T>(value: T) => (typeof value === 'string' ? storableText(value) : value);

/** Builds a session from a row. A mode that this build does not know reads as the most careful one. */
export function toRecord(row: unknown): SessionRecord {
  const record = { ...(row as SessionRecord) };
  return chatModes.includes(record.mode) ? record : { ...record, mode: carefulMode };
}
