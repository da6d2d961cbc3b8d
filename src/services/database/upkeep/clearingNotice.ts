import { existsSync, mkdirSync, watch } from 'node:fs';
import path from 'node:path';
import type { Logger } from '../../../utils/logger';

/** Folder that is watched for notices. A separate folder is used, because the storage root changes with every write. */
const folderName = 'windows';
const fileName = 'clearing';
export const clearingNoticeIn = (directory: string): string => path.join(directory, folderName, fileName);

/** Prefix of the folder to which data is moved before it is deleted. */
export const clearingPrefix = 'clearing-';

/** Returns true if a window has announced that it deletes the storage. The window itself may have ended. */
export function isClearingAnnounced(directory: string): boolean {
  return existsSync(clearingNoticeIn(directory));
}

/** Calls `announced` once when a window announces that it deletes the storage. Does nothing if the system cannot watch files. */
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
