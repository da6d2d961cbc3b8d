import { PendingChanges } from '../services/review/pendingChanges';
import { FilesOnDisk } from '../services/files/fileOnDisk';
import { WorkSessions } from '../services/review/workSessions';
import { checkpointedFolders, realHome } from '../services/checkpoint/host/checkpointedFolders';
import { Checkpoints } from '../services/checkpoint/host/checkpoints';
import { CommandChangeRecorder } from '../services/checkpoint/host/commandChanges';
import { EngineClient } from '../services/checkpoint/host/engineClient';
import { HistoryKeeper } from '../services/checkpoint/host/historyKeeper';
import { Restores } from '../services/checkpoint/host/restores';
import { WorkerSnapshotObjects } from '../services/checkpoint/host/snapshotObjects';
import { StorageCare } from '../services/checkpoint/host/storageCare';
import type { DatabaseService } from '../services/database/databaseService';
import { createOwner } from '../services/database/sessions/windowOwner';
import { trustedFolders } from '../services/files/workspacePorts';
import { UnfinishedWrites } from '../services/files/unfinishedWrites';
import type { CorePorts, Lifetime } from './corePorts';
import { createCodebase, createMessageSearch } from './createCodebase';
import { createAgent } from './createAgent';
import { createExams } from './createExams';

/** All services that use one storage and one workspace. */
export type Core = ReturnType<typeof createCore>;

/**
 * Builds the snapshot store, the agent with its tools, and the undo services on an open database. Uses an editor
 * only through `ports`. Adds all services that must be disposed to `lifetime`, in the order in which they are built.
 */
export function createCore(database: DatabaseService, ports: CorePorts, lifetime: Lifetime) {
  const { storage, settings, workspace, clock, logger } = ports;
  const openEngine = (owner: string) => new EngineClient({ ...storage, owner, workerPath: ports.workers.checkpoint, logger });
  const engine = lifetime.add(openEngine(storage.owner));
  /** Each writer to the storage needs a unique owner name. */
  const openOwnEngine = () => openEngine(createOwner());
  const limit = () => settings.getCheckpointConfig().maxStorageBytes;
  const snapshots = new WorkerSnapshotObjects(engine);
  const notes = new UnfinishedWrites(storage.directory, storage.owner, logger);
  const files = new FilesOnDisk(ports.editors, notes, database.madeFolders);
  const changes = new PendingChanges(database, snapshots, files, ports.questions, logger);
  const home = realHome();
  const surroundings = {
    getCheckpointConfig: () => settings.getCheckpointConfig(),
    folders: () => trustedFolders(workspace),
    checkpointed: () => checkpointedFolders(trustedFolders(workspace), home),
    logger,
  };
  /** Returns the folders and limits of the next checkpoint, or null if there is no folder for it. */
  const scanned = () => {
    const { exclude, maxFileBytes } = settings.getCheckpointConfig();
    const { roots } = surroundings.checkpointed();
    return roots.length === 0 ? null : { roots, exclude, maxFileBytes };
  };
  const care = lifetime.add(new StorageCare(engine, openOwnEngine, clock, limit, logger, scanned));
  const lastSeq = (sessionId: string) => database.queries.lastSeq(sessionId);
  const histories = new HistoryKeeper(engine, { folders: () => workspace.folders(), logger });
  const guard = lifetime.add(
    new Checkpoints(
      engine,
      { ...surroundings, lastSeq, onProblem: ports.onProblem },
      new CommandChangeRecorder(engine, database.log, { folders: () => workspace.folders(), logger }, histories),
      histories,
    ),
  );
  const finishUndos = async (): Promise<void> => {
    if (workspace.isTrusted()) await changes.recover(workspace.folders().map(({ path }) => path));
  };
  const restores = new Restores(engine, guard, database.log, ports.unsaved, {
    ...surroundings,
    operations: database.operations,
    finishUndos,
  });
  const workSessions = new WorkSessions(engine, changes, database, surroundings);
  const codebase = lifetime.add(createCodebase(database, { restores, checkpoints: guard, engine }, ports));
  const messages = lifetime.add(createMessageSearch(database, ports));
  // The model list, the server or the chosen model may become available long after the start.
  const listening = ports.models.onDidChange(() => {
    void codebase.embed();
    void messages.indexMessages();
  });
  lifetime.add({ dispose: () => void listening.dispose() });
  const { checkpointed } = surroundings;
  const stores = { database, snapshots, notes, guard, restores, changes, codebase, messages, engine, checkpointed };
  const agent = createAgent(stores, ports, lifetime);
  return {
    database,
    codebase,
    messages,
    engine,
    openOwnEngine,
    care,
    snapshots,
    changes,
    restores,
    histories,
    finishUndos,
    workSessions,
    exams: createExams(database.models, ports, lifetime),
    ...agent,
  };
}
