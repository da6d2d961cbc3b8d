import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { clearingPrefix } from '../services/database/upkeep/clearingNotice';
import { Connection } from '../services/database/sqlite/connection';
import { databaseFileName } from '../services/database/sqlite/databaseFile';
import { ModelRepository } from '../services/database/sessions/modelRepository';
import type { StorageError } from '../services/database/sqlite/storageError';
import type { ImportFiles } from '../services/import/sessionImporter';
import type { OpenStorage } from '../services/database/storageGate';
import { writeNotesFolder } from '../services/files/writeNotesFolder';
import { systemClock } from '../utils/clock';
import { DisposableStore, type Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';

/** The open database with what a window needs of it to start. What works on it is added, and ends before it is closed. */
export interface OpenedStorage extends Disposable {
  /** The storage root. */
  directory: string;
  connection: Connection;
  /** Reason why nothing can be written; null where all can be. */
  readOnlyBecause: StorageError | null;
  models: ModelRepository;
  add<T extends Disposable>(service: T): T;
}

/** Tells where earlier versions kept the database, and what reads it; `directory` is null where there is no such place. */
export interface OldPlace extends ImportFiles {
  directory: string | null;
}

/** Throws what keeps the database from opening; nothing is left open then. `oldPlace` is asked only where there is no database yet. */
export async function openStorage(how: OpenStorage, oldPlace: () => OldPlace, logger: Logger): Promise<OpenedStorage> {
  const { directory, isFresh, onDamage } = how;
  // Only a place without a database may have to be given the older one.
  if (!isFresh && !existsSync(path.join(directory, databaseFileName))) {
    const { copyFromOldPlace } = await import(/* webpackChunkName: "oldDatabase" */ '../services/database/sqlite/oldPlace');
    const old = oldPlace();
    await copyFromOldPlace(old.directory, directory, systemClock, async (folder) => {
      const { readOldDatabase } = await import(/* webpackChunkName: "oldDatabase" */ '../services/import/oldDatabase');
      await readOldDatabase(folder, { ...old, clock: systemClock, logger });
    });
  }
  const store = new DisposableStore();
  const connection = new Connection({ directory, clock: systemClock, logger, onDamage });
  store.add({ dispose: () => connection.close() });
  try {
    await connection.open();
  } catch (error) {
    await store.dispose().catch((failure: unknown) => logger.warn('Not all could be closed', failure));
    throw error;
  }
  const models = new ModelRepository(connection, systemClock);
  for (const tidy of [tidyCleared, tidyWrites]) {
    tidy(directory, logger).catch((error: unknown) => logger.warn('What a killed window has left is still there', error));
  }
  const { readOnlyBecause } = connection;
  return { directory, connection, readOnlyBecause, models, add: (service) => store.add(service), dispose: () => store.dispose() };
}

/** Deletes what was to be deleted when a window was killed. */
async function tidyCleared(directory: string): Promise<void> {
  if (!readdirSync(directory).some((name) => name.startsWith(clearingPrefix))) return;
  const { finishClearing } = await import(/* webpackChunkName: "upkeep" */ '../services/database/upkeep/upkeep');
  await finishClearing(directory);
}

/** Removes what was just being written when a window was killed. */
async function tidyWrites(directory: string, logger: Logger): Promise<void> {
  const notes = path.join(directory, writeNotesFolder);
  if (!existsSync(notes) || readdirSync(notes).length === 0) return;
  const { removeUnfinishedWrites } = await import(
    /* webpackChunkName: "unfinishedWrites" */ '../services/files/unfinishedWrites'
  );
  await removeUnfinishedWrites(directory, systemClock.now(), logger);
}
