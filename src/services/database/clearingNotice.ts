import { existsSync, mkdirSync, watch } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../utils/clock';
import type { Logger } from '../../utils/logger';
import { toStorageError } from './storageError';
import { createOwner, isKnownDead } from './windowOwner';

/** A folder of its own, as the storage root changes with every write. */
const folderName = 'windows';
const fileName = 'clearing';
const fileIn = (directory: string): string => path.join(directory, folderName, fileName);

/** Begins the name of the folder that what is to be deleted is moved into. */
export const clearingPrefix = 'clearing-';

const lookEveryMs = 100;
/** So long a window waits for another that may have hung. */
const patienceMs = 30_000;

/** Tells all windows that this one is about to empty the storage, until the result is disposed. Throws `StorageError`. */
export async function announceClearing(directory: string): Promise<{ dispose(): Promise<void> }> {
  try {
    await mkdir(path.join(directory, folderName), { recursive: true });
    await writeFile(fileIn(directory), createOwner());
  } catch (error) {
    throw toStorageError(error);
  }
  return { dispose: () => rm(fileIn(directory), { force: true }) };
}

/** Calls once when a window tells that it is about to empty the storage. Where the system does not tell of files, it never does. */
export function onClearing(directory: string, announced: () => void, logger: Logger): { dispose(): void } {
  try {
    mkdirSync(path.join(directory, folderName), { recursive: true });
    const watcher = watch(path.join(directory, folderName), { persistent: false }, () => {
      if (!existsSync(fileIn(directory))) return;
      watcher.close();
      announced();
    });
    watcher.on('error', (error) => logger.debug('Other windows are not heard any more', error));
    return { dispose: () => watcher.close() };
  } catch (error) {
    logger.debug('Other windows are not heard', error);
    return { dispose: () => undefined };
  }
}

/** Waits while a window that lives empties the storage. */
export async function untilCleared(directory: string, clock: Clock): Promise<void> {
  for (let waited = 0; waited < patienceMs; waited += lookEveryMs) {
    const owner = await readFile(fileIn(directory), 'utf8').catch(() => null);
    if (owner === null) return;
    if (isKnownDead(owner)) {
      await rm(fileIn(directory), { force: true }).catch(() => undefined);
      return;
    }
    await clock.sleep(lookEveryMs);
  }
}
