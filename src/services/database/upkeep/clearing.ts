import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../utils/clock';
import { clearingNoticeIn } from './clearingNotice';
import { toStorageError } from '../sqlite/storageError';
import { createOwner, isKnownDead } from '../sessions/windowOwner';

const pollMs = 100;
/** Maximum wait for another window, in milliseconds, because that window may hang. */
const maxWaitMs = 30_000;

/** Announces to all windows that this window deletes the storage, until the result is disposed. Throws `StorageError`. */
export async function announceClearing(directory: string): Promise<{ dispose(): Promise<void> }> {
  const file = clearingNoticeIn(directory);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, createOwner());
  } catch (error) {
    throw toStorageError(error);
  }
  return { dispose: () => rm(file, { force: true }) };
}

/** Waits while another open window deletes the storage. */
export async function untilCleared(directory: string, clock: Clock): Promise<void> {
  const file = clearingNoticeIn(directory);
  for (let waited = 0; waited < maxWaitMs; waited += pollMs) {
    const owner = await readFile(file, 'utf8').catch(() => null);
    if (owner === null) return;
    if (isKnownDead(owner)) {
      await rm(file, { force: true }).catch(() => undefined);
      return;
    }
    await clock.sleep(pollMs);
  }
}
