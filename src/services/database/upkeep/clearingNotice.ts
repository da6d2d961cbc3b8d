import { existsSync, mkdirSync, watch } from 'node:fs';
import path from 'node:path';
import type { Logger } from '../../../utils/logger';

/** A folder of its own, as the storage root changes with every write. */
const folderName = 'windows';
const fileName = 'clearing';
export const clearingNoticeIn = (directory: string): string => path.join(directory, folderName, fileName);

/** Begins the name of the folder that what is to be deleted is moved into. */
export const clearingPrefix = 'clearing-';

/** Tells whether a window, which may be gone by now, has announced that it empties the storage. */
export function isClearingAnnounced(directory: string): boolean {
  return existsSync(clearingNoticeIn(directory));
}

/** Calls once when a window tells that it is about to empty the storage. Where the system does not tell of files, it never does. */
export function onClearing(directory: string, announced: () => void, logger: Logger): { dispose(): void } {
  try {
    mkdirSync(path.join(directory, folderName), { recursive: true });
    const watcher = watch(path.join(directory, folderName), { persistent: false }, () => {
      if (!existsSync(clearingNoticeIn(directory))) return;
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
