import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isEditorSetting } from './workspaceParts';

/** Maximum number of entries in a remembered folder. */
const maxEntries = 500;

/**
 * Remembers the paths that sandboxed commands created in the workspace and that no checkpoint contains. An example is a program
 * that `make` builds. Later commands may change these paths until something else changes them.
 */
export class MadePaths {
  /** State of each path after the last sandboxed command that could change the path. */
  private readonly states = new Map<string, string>();

  /** Returns the paths that a sandboxed command created and that have not changed since. */
  async findUnchanged(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const unchanged = new Set<string>();
    for (const path of paths) {
      const known = this.states.get(path);
      if (known !== undefined && (await readState(path))?.text === known) unchanged.add(path);
    }
    return unchanged;
  }

  /**
   * Remembers the paths of `now` that were created after `start` (milliseconds), and the paths
   * of `writable`, which the command could change. A moved file keeps its creation time, so it
   * stays protected. On a file system without creation times, every file stays protected.
   */
  async note(now: readonly string[], writable: ReadonlySet<string>, start: number): Promise<void> {
    for (const path of now) {
      if (isEditorSetting(basename(path)) || (!writable.has(path) && this.states.has(path))) continue;
      const state = await readState(path);
      if (state !== null && (writable.has(path) || state.oldest >= start)) this.states.set(path, state.text);
    }
  }
}

/**
 * Returns the state of a file or folder, and the creation time of its
 * oldest entry. Returns null if the path is missing or too large.
 */
async function readState(path: string): Promise<{ text: string; oldest: number } | null> {
  const parts: string[] = [];
  const waiting = [path];
  let oldest = Infinity;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const stats = await lstat(at, { bigint: true }).catch(() => null);
    if (stats === null || parts.length >= maxEntries) return null;
    oldest = Math.min(oldest, Number(stats.birthtimeNs / 1_000_000n));
    parts.push(`${at} ${stats.ino} ${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`);
    if (stats.isDirectory()) for (const name of (await readdir(at).catch(() => [])).sort()) waiting.push(join(at, name));
  }
  return { text: parts.join('\n'), oldest };
}
