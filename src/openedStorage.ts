import { Connection } from './services/database/connection';
import { ModelRepository } from './services/database/modelRepository';
import { copyFromOldPlace } from './services/database/storagePath';
import type { OpenStorage } from './services/storageGate';
import { systemClock } from './utils/clock';
import { DisposableStore, type Disposable } from './utils/disposable';
import type { Logger } from './utils/logger';

/** The open database with what a window needs of it to start. What works on it is added, and ends before it is closed. */
export interface OpenedStorage extends Disposable {
  /** The storage root. */
  directory: string;
  connection: Connection;
  models: ModelRepository;
  add<T extends Disposable>(service: T): T;
}

/**
 * Throws what keeps the database from opening; nothing is left open then. `oldDirectory` is where earlier versions kept it, null
 * where there is no such place.
 */
export async function openStorage(how: OpenStorage, oldDirectory: string | null, logger: Logger): Promise<OpenedStorage> {
  const { directory, isFresh, onDamage } = how;
  if (!isFresh) await copyFromOldPlace(oldDirectory, directory, systemClock);
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
  return { directory, connection, models, add: (service) => store.add(service), dispose: () => store.dispose() };
}
