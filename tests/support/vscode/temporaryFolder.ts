import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Returns a new empty folder. Its path contains no symbolic links. */
export async function temporaryFolder(): Promise<string> {
  return realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-')));
}

/** Removes a folder with retries, because processes that have just exited may still have files open in it. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
