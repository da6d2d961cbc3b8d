import { setTimeout as wait } from 'node:timers/promises';
import { isSystemError } from '../errors';

/** Windows error codes for a file that another program has open, such as a virus scanner or an indexer. */
const inUse = ['EPERM', 'EACCES', 'EBUSY'];
const delaysMs = [20, 40, 80, 160, 320];

/** Runs a rename or deletion. On Windows, retries for up to 620 ms while another program has the file open. */
export async function retryWhileInUse<T>(act: () => Promise<T>, platform: NodeJS.Platform = process.platform): Promise<T> {
  for (const delay of chooseDelays(platform)) {
    try {
      return await act();
    } catch (error) {
      if (!isInUse(error)) throw error;
      await wait(delay);
    }
  }
  return act();
}

/** Works like `retryWhileInUse`, but blocks the thread. For use in workers. */
export function retryWhileInUseSync<T>(act: () => T, platform: NodeJS.Platform = process.platform): T {
  for (const delay of chooseDelays(platform)) {
    try {
      return act();
    } catch (error) {
      if (!isInUse(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delay);
    }
  }
  return act();
}

function chooseDelays(platform: NodeJS.Platform): readonly number[] {
  return platform === 'win32' ? delaysMs : [];
}

function isInUse(error: unknown): boolean {
  return isSystemError(error) && inUse.includes(error.code ?? '');
}
