import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Folder for large files that are kept across clones: the editor for tests, old Node versions, a built Ollama. */
export const cacheRoot = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'ollama-copilot');

export const resultsFolder = path.join(root, 'test-results');

export function inRoot(...names) {
  return path.join(root, ...names);
}
