import type { DatabaseSync } from './sqlite';
import { StorageError } from './storageError';

/** docs/storage-format.md describes every table and column. A published migration never changes; the next change is a new one. */
const migrations: readonly string[] = [
  `
  PRAGMA application_id = 0x4F434F50;

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    mode TEXT NOT NULL,
    model TEXT,
    status TEXT NOT NULL DEFAULT 'idle' CHECK (status IN ('idle', 'generating', 'waiting_input', 'paused', 'error')),
    owner TEXT,
    heartbeat_at INTEGER,
    revision INTEGER NOT NULL DEFAULT 0,
    auto_approve_commands INTEGER NOT NULL DEFAULT 0 CHECK (auto_approve_commands IN (0, 1)),
    auto_approve_sensitive_edits INTEGER NOT NULL DEFAULT 0 CHECK (auto_approve_sensitive_edits IN (0, 1)),
    sensitive_file_patterns TEXT,
    explorer_model TEXT,
    session_memory TEXT,
    project_path TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_updated ON sessions (updated_at DESC, id DESC);
  CREATE INDEX sessions_owner ON sessions (owner) WHERE owner IS NOT NULL;

  CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL CHECK (seq > 0),
    revision INTEGER NOT NULL CHECK (revision > 0),
    type TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'system')),
    content TEXT NOT NULL DEFAULT '',
    data TEXT NOT NULL DEFAULT '{}',
    model TEXT,
    tool_name TEXT,
    tool_input TEXT,
    tool_output TEXT,
    tool_calls TEXT,
    progress_title TEXT,
    checkpoint_id TEXT,
    plan_item_id TEXT,
    is_open INTEGER NOT NULL DEFAULT 0 CHECK (is_open IN (0, 1)),
    timestamp INTEGER NOT NULL,
    UNIQUE (session_id, seq)
  ) STRICT;
  CREATE INDEX messages_revision ON messages (session_id, revision);
  CREATE INDEX messages_open ON messages (session_id) WHERE is_open = 1;
  CREATE INDEX messages_checkpoint ON messages (checkpoint_id) WHERE checkpoint_id IS NOT NULL;
  CREATE INDEX messages_plan_item ON messages (plan_item_id) WHERE plan_item_id IS NOT NULL;

  CREATE TABLE models (
    name TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified_at TEXT,
    family TEXT,
    families TEXT,
    parameter_size TEXT,
    quantization_level TEXT,
    capabilities TEXT NOT NULL DEFAULT '[]',
    context_length INTEGER,
    stop TEXT NOT NULL DEFAULT '[]',
    enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
    fetched_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE search_sessions (
    number INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    title TEXT,
    revision INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  `,
  `
  CREATE TABLE queued_messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK (position > 0),
    text TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL,
    UNIQUE (session_id, position)
  ) STRICT;
  `,
];

/** The `user_version` this build writes. */
export const newestVersion = migrations.length;

/** Throws `StorageError` `newer`. */
export function isMigrated(database: DatabaseSync): boolean {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version > newestVersion) throw new StorageError('newer', `Version ${version} is newer than ${newestVersion}`);
  return version === newestVersion;
}

/**
 * Applies the next migration, if there still is one, inside the caller's write transaction: looking again there is what makes two
 * windows that start at once migrate once.
 */
export function migrateOnce(database: DatabaseSync): void {
  if (isMigrated(database)) return;
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  database.exec(migrations[version] ?? '');
  database.exec(`PRAGMA user_version = ${version + 1}`);
}
