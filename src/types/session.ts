import type { ChatMode } from './modes';

/** Stored status. `interrupted` and `queued` are only derived for display (see docs/storage/log.md). */
export type SessionStatus = 'idle' | 'generating' | 'waiting_input' | 'paused' | 'error';

/** Row of the table `sessions`. Times are in milliseconds since the epoch. */
export interface SessionRecord {
  id: string;
  title: string;
  mode: ChatMode;
  model: string | null;
  status: SessionStatus;
  /** ID of the window that runs the session, or null. */
  owner: string | null;
  /** Time of the last heartbeat of that window. */
  heartbeat_at: number | null;
  /** Counter that increases with each new entry and each time the open entry grows. */
  revision: number;
  auto_approve_commands: 0 | 1;
  auto_approve_sensitive_edits: 0 | 1;
  /** JSON with the commands that run without approval, each with its folder. */
  allowed_commands: string;
  /** JSON `{hosts}` with the hosts that sandboxed commands can access. Null if the sandbox is off. */
  sandbox: string | null;
  sensitive_file_patterns: string | null;
  /** Model of subagents. Null uses the setting. */
  explorer_model: string | null;
  session_memory: string | null;
  project_path: string | null;
  /** JSON with the origin of an imported session (docs/storage/log.md). */
  imported: string | null;
  /** 1 if the inline chat created the session. */
  is_inline: 0 | 1;
  created_at: number;
  updated_at: number;
}

/** Row of the table `messages`: the stored form of an entry (columns in docs/storage/log.md). */
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
  /** CRC-32 of the texts, see `computeChecksum`. Null while the entry is open, and in rows written by versions without checksums. */
  checksum: number | null;
};
