import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A new empty folder, its name without symbolic links. */
export async function temporaryFolder(): Promise<string> {
  return realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-')));
}

/** Removes a folder, patiently: processes that were just ended may still hold files in it. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
