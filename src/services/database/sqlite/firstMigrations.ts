/** Migrations 1 to 4. The others are in `migrations.ts`. Never change a published migration. */
export const firstMigrations: readonly string[] = [
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
  `
  CREATE TABLE snapshot_packs (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    length INTEGER NOT NULL CHECK (length >= 0),
    owner TEXT,
    is_dropped INTEGER NOT NULL DEFAULT 0 CHECK (is_dropped IN (0, 1)),
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE snapshot_objects (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
    size INTEGER NOT NULL CHECK (size >= 0),
    ref_count INTEGER NOT NULL DEFAULT 0 CHECK (ref_count >= 0),
    pack_id INTEGER REFERENCES snapshot_packs (id),
    block INTEGER,
    position INTEGER,
    stored_at INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER snapshot_objects_needed BEFORE DELETE ON snapshot_objects WHEN OLD.ref_count > 0 BEGIN
    SELECT RAISE(ABORT, 'a referenced snapshot object cannot be deleted');
  END;

  CREATE TABLE snapshot_roots (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE manifests (
    id INTEGER PRIMARY KEY,
    base_id INTEGER REFERENCES manifests (id),
    position INTEGER NOT NULL CHECK (position >= 0),
    roots TEXT NOT NULL,
    file_count INTEGER NOT NULL,
    total_size INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX manifests_base ON manifests (base_id) WHERE base_id IS NOT NULL;

  CREATE TABLE manifest_entries (
    manifest_id INTEGER NOT NULL REFERENCES manifests (id) ON DELETE CASCADE,
    root_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
    mode INTEGER NOT NULL,
    object_id INTEGER CHECK ((object_id IS NOT NULL) = (kind IN (1, 2))),
    flags INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (manifest_id, root_id, path)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER manifest_entries_refer AFTER INSERT ON manifest_entries WHEN NEW.object_id IS NOT NULL BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.object_id;
    SELECT RAISE(ABORT, 'no such snapshot object') WHERE changes() = 0;
  END;
  CREATE TRIGGER manifest_entries_release AFTER DELETE ON manifest_entries WHEN OLD.object_id IS NOT NULL BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.object_id;
  END;
  CREATE TRIGGER manifest_entries_fixed BEFORE UPDATE OF object_id ON manifest_entries BEGIN
    SELECT RAISE(ABORT, 'entries of a manifest do not change');
  END;

  CREATE TABLE checkpoints (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    message_id TEXT,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    work_session TEXT,
    parent_id TEXT REFERENCES checkpoints (id) ON DELETE SET NULL,
    state TEXT NOT NULL CHECK (state IN ('taking', 'taken', 'failed')),
    owner TEXT,
    manifest_id INTEGER REFERENCES manifests (id) CHECK ((manifest_id IS NOT NULL) = (state = 'taken')),
    problems TEXT NOT NULL DEFAULT '[]',
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'kept', 'undone', 'partial')),
    total_additions INTEGER,
    total_deletions INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX checkpoints_session ON checkpoints (session_id, id);
  CREATE INDEX checkpoints_manifest ON checkpoints (manifest_id) WHERE manifest_id IS NOT NULL;
  CREATE INDEX checkpoints_parent ON checkpoints (parent_id) WHERE parent_id IS NOT NULL;
  CREATE INDEX checkpoints_taking ON checkpoints (session_id) WHERE state = 'taking';

  CREATE TABLE staged_files (
    id INTEGER PRIMARY KEY,
    checkpoint_id TEXT NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
    root_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
    mode INTEGER NOT NULL,
    object_id INTEGER CHECK ((object_id IS NOT NULL) = (kind IN (1, 2))),
    is_staged INTEGER NOT NULL DEFAULT 1 CHECK (is_staged IN (0, 1)),
    UNIQUE (checkpoint_id, root_id, path)
  ) STRICT;
  CREATE TRIGGER staged_files_refer AFTER INSERT ON staged_files WHEN NEW.object_id IS NOT NULL BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.object_id;
    SELECT RAISE(ABORT, 'no such snapshot object') WHERE changes() = 0;
  END;
  CREATE TRIGGER staged_files_release AFTER DELETE ON staged_files WHEN OLD.object_id IS NOT NULL BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.object_id;
  END;
  CREATE TRIGGER staged_files_fixed BEFORE UPDATE OF object_id ON staged_files BEGIN
    SELECT RAISE(ABORT, 'a staged file keeps the state it had before');
  END;

  CREATE TABLE work_sessions (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'merged', 'abandoned')),
    created_at INTEGER NOT NULL,
    closed_at INTEGER,
    PRIMARY KEY (session_id, number)
  ) STRICT;
  CREATE UNIQUE INDEX work_sessions_active ON work_sessions (session_id) WHERE status = 'active';

  CREATE TABLE approved_states (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    checkpoint_id TEXT NOT NULL REFERENCES checkpoints (id),
    work_session TEXT,
    message TEXT,
    approved_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, number)
  ) STRICT;
  CREATE INDEX approved_states_checkpoint ON approved_states (checkpoint_id);

  CREATE TABLE operations (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'undone', 'failed')),
    owner TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;
  CREATE INDEX operations_running ON operations (state) WHERE state = 'running';
  `,
];
