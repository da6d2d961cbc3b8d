import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { clearingPrefix } from '../services/database/upkeep/clearingNotice';
import { Connection } from '../services/database/sqlite/connection';
import { databaseFileName } from '../services/database/sqlite/databaseFile';
import { FigureRepository } from '../services/database/sessions/figureRepository';
import { ModelRepository } from '../services/database/sessions/modelRepository';
import type { StorageError } from '../services/database/sqlite/storageError';
import type { ImportFiles } from '../services/import/sessionImporter';
import type { OpenStorage } from '../services/database/storageGate';
import { writeNotesFolder } from '../services/files/writeNotesFolder';
import { systemClock } from '../utils/clock';
import { DisposableStore, type Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';

/**
 * Open database and the services that a window needs at the start. Services
 * that use the database are added to it and disposed before it closes.
 */
export interface OpenedStorage extends Disposable {
  directory: string;
  connection: Connection;
  /** Reason why the storage is read-only, or null if it is writable. */
  readOnlyBecause: StorageError | null;
  models: ModelRepository;
  figures: FigureRepository;
  add<T extends Disposable>(service: T): T;
}

/** Former location of the database and the files needed to read it. `directory` is null if there is none. */
export interface OldPlace extends ImportFiles {
  directory: string | null;
}

/** Opens the storage. If this fails, closes everything and throws the error. Uses `oldPlace` only if there is no database yet. */
export async function openStorage(how: OpenStorage, oldPlace: () => OldPlace, logger: Logger): Promise<OpenedStorage> {
  const { directory, isFresh, onDamage } = how;
  // An earlier database is needed only if the folder has no database.
  if (!isFresh && !existsSync(path.join(directory, databaseFileName))) {
    const { copyFromFormerLocation } = await import(
      /* webpackChunkName: "oldDatabase" */ '../services/database/sqlite/formerLocation'
    );
    const old = oldPlace();
    await copyFromFormerLocation(old.directory, directory, systemClock, async (folder) => {
      const { readOldDatabase } = await import(/* webpackChunkName: "oldDatabase" */ '../services/import/oldDatabase');
      await readOldDatabase(folder, { ...old, clock: systemClock, logger });
    });
  }
  const store = new DisposableStore();
  const connection = new Connection({ directory, clock: systemClock, logger, onDamage, isFresh });
  store.add({ dispose: () => connection.close() });
  try {
    await connection.open();
  } catch (error) {
    await store.dispose().catch((failure: unknown) => logger.warn('Not all could be closed', failure));
    throw error;
  }
  const models = new ModelRepository(connection, systemClock);
  const figures = new FigureRepository(connection);
  for (const tidy of [tidyCleared, tidyWrites]) {
    tidy(directory, logger).catch((error: unknown) => logger.warn('What a killed window has left is still there', error));
  }
  const { readOnlyBecause } = connection;
  return {
    directory,
    connection,
    readOnlyBecause,
    models,
    figures,
    add: (service) => store.add(service),
    dispose: () => store.dispose(),
  };
}

/** Finishes deletions that an earlier window started. */
async function tidyCleared(directory: string): Promise<void> {
  if (!readdirSync(directory).some((name) => name.startsWith(clearingPrefix))) return;
  const { finishClearing } = await import(/* webpackChunkName: "upkeep" */ '../services/database/upkeep/upkeep');
  await finishClearing(directory);
}

/** Removes incomplete files that earlier windows were writing. */
async function tidyWrites(directory: string, logger: Logger): Promise<void> {
  const notes = path.join(directory, writeNotesFolder);
  if (!existsSync(notes) || readdirSync(notes).length === 0) return;
  const { removeUnfinishedWrites } = await import(
    /* webpackChunkName: "unfinishedWrites" */ '../services/files/unfinishedWrites'
  );
  await removeUnfinishedWrites(directory, systemClock.now(), logger);
}
