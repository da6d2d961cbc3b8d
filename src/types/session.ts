import type { ChatMode } from './modes';

/** `interrupted` and `queued` are derived for display and never stored (see docs/storage-format.md). */
export type SessionStatus = 'idle' | 'generating' | 'waiting_input' | 'paused' | 'error';

/** Row of `sessions`. Times are milliseconds since the epoch. */
export interface SessionRecord {
  id: string;
  title: string;
  mode: ChatMode;
  model: string | null;
  status: SessionStatus;
  /** Identity of the window that runs the session, while one does. */
  owner: string | null;
  /** Last sign of life of that window. */
  heartbeat_at: number | null;
  /** Advances with every append and every growth of the open entry. */
  revision: number;
  auto_approve_commands: 0 | 1;
  auto_approve_sensitive_edits: 0 | 1;
  /** JSON: the commands that run without a question, each with its folder. */
  allowed_commands: string;
  sensitive_file_patterns: string | null;
  /** Model of the session's explorations; null: the one of the settings. */
  explorer_model: string | null;
  session_memory: string | null;
  project_path: string | null;
  /** JSON: where it comes from, of a session that was imported (docs/storage-format.md). */
  imported: string | null;
  created_at: number;
  updated_at: number;
}

/** Row of `messages`: the durable form of an entry (columns in docs/storage-format.md). */
export type MessageRecord = {
  id: string;
  session_id: string;
  seq: number;
  revision: number;
  type: string;
  role: 'user' | 'assistant' | 'tool' | 'system';
  content: string;
  data: string;
  model: string | null;
  tool_name: string | null;
  tool_input: string | null;
  tool_output: string | null;
  tool_calls: string | null;
  progress_title: string | null;
  checkpoint_id: string | null;
  plan_item_id: string | null;
  is_open: 0 | 1;
  timestamp: number;
};
