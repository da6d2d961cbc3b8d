import path from 'node:path';
import type { Clock } from '../../utils/clock';
import { isGitFolder } from '../../utils/sensitivity/fileSensitivity';
import { nodeFileSystem } from '../../utils/files/fileSystem';
import { ManifestStore } from '../checkpoint/engine/manifests/manifestStore';
import type { ObjectBatch } from '../checkpoint/engine/objects/objectBatch';
import { ObjectStore } from '../checkpoint/engine/objects/objectStore';
import type { FileState } from '../checkpoint/engine/scan/scannedFile';
import { storableText } from '../database/log/entryFields';
import { objectsFolderName } from '../database/sqlite/databaseFile';
import type { DatabaseSync } from '../database/sqlite/sqlite';
import { createOwner } from '../database/sessions/windowOwner';
import type { ImportOutcome, IssueReason } from './importReport';
import { createCheckpointId, type RestorePoint, type RestorePoints } from './restorePoints';

interface ImportedCheckpoint {
  id: string;
  title: string;
  time: number;
  root: number;
  files: Map<string, FileState>;
}

/** Outcomes after which the log contains the whole session of the source. */
const storedOutcomes: readonly ImportOutcome[] = ['imported', 'extended', 'unchanged'];

/** Imports restore points as checkpoints. Adds their file contents to the object store. The manifests contain only these files. */
export class CheckpointImport {
  private readonly objects: ObjectStore;
  private readonly manifests: ManifestStore;

  constructor(
    private readonly database: DatabaseSync,
    storage: string,
    clock: Clock,
  ) {
    const directory = path.join(storage, objectsFolderName);
    this.objects = new ObjectStore(database, { directory, owner: createOwner(), fileSystem: nodeFileSystem, clock });
    this.manifests = new ManifestStore(database, clock);
  }

  /**
   * Stores the contents, then runs `commit` and inserts the checkpoints in one transaction. Calls `issue` for
   * files that cannot be imported.
   */
  store<T extends { outcome: ImportOutcome }>(
    session: { id: string; root: string; points: readonly RestorePoint[]; source: RestorePoints },
    issue: (reason: IssueReason, detail: string) => void,
    commit: () => T,
  ): T {
    const root = this.manifests.numberRoot(session.root);
    const fill = (batch: ObjectBatch): ImportedCheckpoint[] =>
      session.points.map((point) => this.prepare(point, { ...session, root }, batch, issue));
    const result = this.objects.inBatch(fill, (checkpoints) => {
      const committed = commit();
      if (storedOutcomes.includes(committed.outcome)) for (const checkpoint of checkpoints) this.insert(session.id, checkpoint);
      return { committed };
    });
    // `inBatch` returns the result of its second argument.
    return (result as { committed: T }).committed;
  }

  dispose(): void {
    this.objects.dispose();
  }

  private prepare(
    point: RestorePoint,
    session: { id: string; root: number; source: RestorePoints },
    batch: ObjectBatch,
    issue: (reason: IssueReason, detail: string) => void,
  ): ImportedCheckpoint {
    const files = new Map<string, FileState>();
    for (const { path: name, hash, mode, size } of point.files) {
      const isNamed = /^[0-9a-f]{64}$/.test(hash);
      if (!isNamed || !isInside(name)) {
        issue(isNamed ? 'unsafeFile' : 'unknownPart', name);
        continue;
      }
      if (!batch.has(hash)) {
        const content = session.source.content(hash, size);
        if (content === null) issue('noContent', name);
        if (content === null) batch.note(hash, size);
        else batch.add(hash, content);
      }
      files.set(name, { kind: 1, mode: mode & 0o777, hash, size, flags: 0 });
    }
    const time = point.time ?? 0;
    return { id: createCheckpointId(session.id, point.id, time), title: point.title, time, root: session.root, files };
  }

  private insert(sessionId: string, { id, title, time, root, files }: ImportedCheckpoint): void {
    if (this.database.prepare('SELECT 1 FROM checkpoints WHERE id = ?').get(id) !== undefined) return;
    const all = new Map([[root, files]]);
    // A manifest with two equal folders never matches a workspace, so no snapshot uses this incomplete manifest as its base.
    const manifestId = this.manifests.insert(null, [root, root], all, all);
    this.database
      .prepare(
        `INSERT INTO checkpoints (id, session_id, kind, title, parent_id, state, manifest_id, created_at)
         VALUES (:id, :session, 'imported', :title,
           (SELECT max(id) FROM checkpoints WHERE session_id = :session AND id < :id), 'taken', :manifest, :time)`,
      )
      .run({ id, session: sessionId, title: storableText(title), manifest: manifestId, time });
  }
}

/** Returns true if a path is below the folder and not part of a Git directory. */
function isInside(name: string): boolean {
  const names = name.split('/');
  return (
    name !== '' &&
    name.length < 4096 &&
    !/[\\\0]/.test(name) &&
    !/^[A-Za-z]:/.test(name) &&
    // On Windows, a name that consists only of dots and spaces refers to a parent folder.
    names.every((part) => !/^[. ]*$/.test(part) && !isGitFolder(part)) &&
    storableText(name) === name
  );
}
