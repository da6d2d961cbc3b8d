import { fallbackMode, chatModes, type ChatMode } from '../../../types/modes';
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
  /** Default: off. */
  sandbox?: string | null;
  /** Default: none. */
  sensitive_file_patterns?: string | null;
  /** Model for subagents of the session. Default: the setting. */
  explorer_model?: string | null;
  /** Default: 0. */
  is_inline?: 0 | 1;
}

/** Columns that `update` can change. */
export const patchable = [
  ...(['title', 'mode', 'model', 'status'] as const),
  ...(['auto_approve_commands', 'auto_approve_sensitive_edits', 'allowed_commands', 'sensitive_file_patterns'] as const),
  ...(['sandbox', 'explorer_model', 'session_memory'] as const),
];
export type SessionPatch = Partial<Pick<SessionRecord, (typeof patchable)[number]>>;

export const sessionColumns =
  'id, title, mode, model, status, owner, heartbeat_at, revision, auto_approve_commands, auto_approve_sensitive_edits, ' +
  'allowed_commands, sandbox, sensitive_file_patterns, explorer_model, session_memory, project_path, imported, is_inline, created_at, updated_at';

/** Replaces characters that SQLite cannot store. */
export const storable = <T>(value: T) => (typeof value === 'string' ? storableText(value) : value);

/** Creates a session from a row. An unknown mode is read as the most restrictive mode. */
export function toRecord(row: unknown): SessionRecord {
  const record = { ...(row as SessionRecord) };
  return chatModes.includes(record.mode) ? record : { ...record, mode: fallbackMode };
}
