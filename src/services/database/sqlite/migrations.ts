import { firstMigrations } from './firstMigrations';
import { isMigrated, readVersion } from './schemaVersion';
import type { DatabaseSync } from './sqlite';

/** All migrations. docs/storage/ describes the tables. Never change a published migration. Add a new one instead. */
export const migrations: readonly string[] = [
  ...firstMigrations,
  `
  CREATE TABLE file_snapshots (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    checkpoint_id TEXT,
    turn_seq INTEGER NOT NULL,
    path TEXT NOT NULL,
    shown TEXT NOT NULL,
    object_id INTEGER REFERENCES snapshot_objects (id),
    mode INTEGER,
    left_state TEXT NOT NULL DEFAULT 'unknown' CHECK (left_state IN ('unknown', 'file', 'gone')),
    left_object_id INTEGER REFERENCES snapshot_objects (id),
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'kept', 'undone')),
    review_seq INTEGER,
    undone_object_id INTEGER REFERENCES snapshot_objects (id),
    undone_mode INTEGER,
    additions INTEGER,
    deletions INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX file_snapshots_session ON file_snapshots (session_id, status, path);
  CREATE INDEX file_snapshots_objects ON file_snapshots (object_id) WHERE object_id IS NOT NULL;
  CREATE TRIGGER file_snapshots_refer AFTER INSERT ON file_snapshots BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.object_id;
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.left_object_id;
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.undone_object_id;
  END;
  CREATE TRIGGER file_snapshots_release AFTER DELETE ON file_snapshots BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.object_id;
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.left_object_id;
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.undone_object_id;
  END;
  CREATE TRIGGER file_snapshots_change AFTER UPDATE OF object_id, left_object_id, undone_object_id ON file_snapshots BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.object_id;
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.left_object_id;
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.undone_object_id;
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.object_id;
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.left_object_id;
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.undone_object_id;
  END;
  `,
  `
  ALTER TABLE sessions ADD COLUMN allowed_commands TEXT NOT NULL DEFAULT '[]';
  `,
  `
  ALTER TABLE file_snapshots ADD COLUMN moved_from TEXT;
  `,
  `
  ALTER TABLE file_snapshots ADD COLUMN is_released INTEGER NOT NULL DEFAULT 0;
  `,
  `
  CREATE INDEX messages_marks ON messages (session_id, type, seq) WHERE type IN ('compact_marker', 'rewind', 'file_edit');
  `,
  `
  ALTER TABLE sessions ADD COLUMN imported TEXT;
  `,
  `
  CREATE TRIGGER checkpoints_hand_down BEFORE DELETE ON checkpoints BEGIN
    INSERT INTO staged_files (checkpoint_id, root_id, path, kind, mode, object_id, is_staged)
    SELECT earlier.id, s.root_id, s.path, s.kind, s.mode, s.object_id, s.is_staged
    FROM staged_files s JOIN checkpoints earlier ON earlier.id = (
      SELECT c.id FROM checkpoints c CROSS JOIN manifests m ON m.id = c.manifest_id
      WHERE c.id < OLD.id AND EXISTS (SELECT 1 FROM json_each(m.roots) WHERE value = s.root_id)
      ORDER BY c.id DESC LIMIT 1)
    WHERE s.checkpoint_id = OLD.id
    ON CONFLICT (checkpoint_id, root_id, path) DO UPDATE SET is_staged = max(is_staged, excluded.is_staged);
  END;
  `,
  `
  CREATE TABLE made_folders (path TEXT PRIMARY KEY, mark TEXT NOT NULL) STRICT;
  `,
  `
  ALTER TABLE operations ADD COLUMN heartbeat_at INTEGER;
  `,
  `
  ALTER TABLE file_snapshots ADD COLUMN left_mode INTEGER;
  `,
  `
  ALTER TABLE snapshot_objects ADD COLUMN damaged_at INTEGER;
  CREATE INDEX snapshot_objects_damaged ON snapshot_objects (hash) WHERE damaged_at IS NOT NULL;
  `,
  `
  ALTER TABLE manifests ADD COLUMN has_names INTEGER NOT NULL DEFAULT 0;
  `,
  `
  CREATE TABLE hunk_answers (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    snapshot_id INTEGER NOT NULL REFERENCES file_snapshots (id) ON DELETE CASCADE,
    operation_id TEXT,
    review_seq INTEGER,
    action TEXT NOT NULL CHECK (action IN ('keep', 'undo')),
    from_object_id INTEGER REFERENCES snapshot_objects (id),
    from_mode INTEGER,
    to_object_id INTEGER REFERENCES snapshot_objects (id),
    to_mode INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX hunk_answers_session ON hunk_answers (session_id, review_seq);
  CREATE INDEX hunk_answers_snapshot ON hunk_answers (snapshot_id);
  CREATE INDEX hunk_answers_from ON hunk_answers (from_object_id) WHERE from_object_id IS NOT NULL;
  CREATE INDEX hunk_answers_to ON hunk_answers (to_object_id) WHERE to_object_id IS NOT NULL;
  CREATE TRIGGER hunk_answers_refer AFTER INSERT ON hunk_answers BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.from_object_id;
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.to_object_id;
  END;
  CREATE TRIGGER hunk_answers_release AFTER DELETE ON hunk_answers BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.from_object_id;
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.to_object_id;
  END;
  `,
  `
  CREATE TABLE tool_events (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    tool_name TEXT NOT NULL,
    model TEXT,
    duration_ms INTEGER,
    success INTEGER NOT NULL CHECK (success IN (0, 1)),
    error_type TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tool_events_session ON tool_events (session_id, tool_name);
  CREATE TABLE tool_days (
    day INTEGER NOT NULL,
    tool_name TEXT NOT NULL,
    calls INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    timed INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (day, tool_name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE answer_days (
    day INTEGER NOT NULL,
    model TEXT NOT NULL,
    answers INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    answer_tokens INTEGER NOT NULL,
    firsts INTEGER NOT NULL,
    first_ms INTEGER NOT NULL,
    timed_tokens INTEGER NOT NULL,
    answer_ms INTEGER NOT NULL,
    PRIMARY KEY (day, model)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER tool_events_count AFTER INSERT ON tool_events BEGIN
    INSERT INTO tool_days (day, tool_name, calls, successes, failures, timed, duration_ms)
    VALUES (NEW.created_at / 86400000, NEW.tool_name, 1, NEW.success, NEW.error_type IS 'tool_error',
      NEW.duration_ms IS NOT NULL, ifnull(NEW.duration_ms, 0))
    ON CONFLICT (day, tool_name) DO UPDATE SET calls = calls + 1, successes = successes + excluded.successes,
      failures = failures + excluded.failures, timed = timed + excluded.timed, duration_ms = duration_ms + excluded.duration_ms;
  END;
  INSERT INTO meta (key, value) SELECT 'statistics_before', CAST(max(rowid) AS TEXT) FROM messages HAVING max(rowid) IS NOT NULL;
  CREATE INDEX sessions_status ON sessions (status);
  CREATE INDEX sessions_project ON sessions (project_path);
  `,
  `
  ALTER TABLE models ADD COLUMN thinking TEXT;
  ALTER TABLE models ADD COLUMN think TEXT;
  `,
  `
  CREATE TABLE images (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE session_images (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    image_id INTEGER NOT NULL REFERENCES images (id),
    PRIMARY KEY (session_id, image_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_images_image ON session_images (image_id);
  CREATE TRIGGER session_images_gone AFTER DELETE ON session_images
  WHEN NOT EXISTS (SELECT 1 FROM session_images WHERE image_id = OLD.image_id) BEGIN
    DELETE FROM images WHERE id = OLD.image_id;
  END;
  `,
  `
  CREATE TABLE kept_histories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    checkpoint_id TEXT NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
    folder TEXT NOT NULL,
    is_whole INTEGER NOT NULL CHECK (is_whole IN (0, 1)),
    key TEXT NOT NULL,
    data TEXT NOT NULL,
    object_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX kept_histories_checkpoint ON kept_histories (checkpoint_id);
  CREATE INDEX kept_histories_folder ON kept_histories (folder, key);
  CREATE TRIGGER kept_histories_refer AFTER INSERT ON kept_histories BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count + 1 WHERE id = NEW.object_id;
    SELECT RAISE(ABORT, 'no such snapshot object') WHERE changes() = 0;
  END;
  CREATE TRIGGER kept_histories_release AFTER DELETE ON kept_histories BEGIN
    UPDATE snapshot_objects SET ref_count = ref_count - 1 WHERE id = OLD.object_id;
  END;
  CREATE TRIGGER kept_histories_fixed BEFORE UPDATE OF object_id ON kept_histories BEGIN
    SELECT RAISE(ABORT, 'a kept history stays as it was');
  END;
  `,
  `
  ALTER TABLE models ADD COLUMN own_options TEXT;
  `,
  `
  ALTER TABLE sessions ADD COLUMN is_inline INTEGER NOT NULL DEFAULT 0 CHECK (is_inline IN (0, 1));
  `,
  `
  ALTER TABLE sessions ADD COLUMN sandbox TEXT;
  `,
  `
  ALTER TABLE tool_events ADD COLUMN waited_ms INTEGER;
  ALTER TABLE tool_days ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tool_days ADD COLUMN waited_ms INTEGER NOT NULL DEFAULT 0;
  DROP TRIGGER tool_events_count;
  CREATE TRIGGER tool_events_count AFTER INSERT ON tool_events BEGIN
    INSERT INTO tool_days (day, tool_name, calls, successes, failures, timed, duration_ms, waits, waited_ms)
    VALUES (NEW.created_at / 86400000, NEW.tool_name, 1, NEW.success, NEW.error_type IS 'tool_error',
      NEW.duration_ms IS NOT NULL, ifnull(NEW.duration_ms, 0), NEW.waited_ms IS NOT NULL, ifnull(NEW.waited_ms, 0))
    ON CONFLICT (day, tool_name) DO UPDATE SET calls = calls + 1, successes = successes + excluded.successes,
      failures = failures + excluded.failures, timed = timed + excluded.timed, duration_ms = duration_ms + excluded.duration_ms,
      waits = waits + excluded.waits, waited_ms = waited_ms + excluded.waited_ms;
  END;
  UPDATE tool_days SET timed = tool_days.timed - refused.calls, duration_ms = tool_days.duration_ms - refused.ms
    FROM (SELECT created_at / 86400000 AS day, tool_name, count(*) AS calls, sum(duration_ms) AS ms FROM tool_events
      WHERE error_type = 'denied' AND duration_ms IS NOT NULL GROUP BY 1, 2) AS refused
    WHERE tool_days.day = refused.day AND tool_days.tool_name = refused.tool_name;
  UPDATE tool_events SET duration_ms = NULL WHERE error_type = 'denied' AND duration_ms IS NOT NULL;
  `,
  `
  CREATE INDEX file_snapshots_path ON file_snapshots (path);
  `,
  `
  ALTER TABLE messages ADD COLUMN checksum INTEGER;
  `,
];

/**
 * Applies the next migration, if there is one. Checks the version again inside
 * the caller's write transaction, because two windows may start at the same time.
 */
export function migrateOnce(database: DatabaseSync): void {
  if (isMigrated(database)) return;
  const version = readVersion(database);
  database.exec(migrations[version] ?? '');
  database.exec(`PRAGMA user_version = ${version + 1}`);
}
