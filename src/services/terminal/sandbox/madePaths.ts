import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isEditorSetting } from './workspaceParts';

/** Most entries of a folder that is remembered. */
const maxEntries = 500;

/**
 * Remembers what sandboxed commands made in the workspace although no checkpoint has it, such as a program that `make` builds and the link to
 * it. Later commands may change it until somebody else does.
 */
export class MadePaths {
  /** State of each path after the last sandboxed command that could change it. */
  private readonly states = new Map<string, string>();

  /** Returns the paths that a sandboxed command made and nobody changed afterwards. */
  async unchangedOf(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const unchanged = new Set<string>();
    for (const path of paths) {
      const known = this.states.get(path);
      if (known !== undefined && (await stateOf(path))?.text === known) unchanged.add(path);
    }
    return unchanged;
  }

  /**
   * Remembers the paths of `now` that were made after `start` (milliseconds), and the paths of `writable`, which the command could change. A
   * moved file keeps its time of creation, so it stays protected. On a file system without that time, every file stays protected.
   */
  async note(now: readonly string[], writable: ReadonlySet<string>, start: number): Promise<void> {
    for (const path of now) {
      if (isEditorSetting(basename(path)) || (!writable.has(path) && this.states.has(path))) continue;
      const state = await stateOf(path);
      if (state !== null && (writable.has(path) || state.oldest >= start)) this.states.set(path, state.text);
    }
  }
}

/** State of a file or folder, and the time of creation of its oldest part. Null if it is gone or too large. */
async function stateOf(path: string): Promise<{ text: string; oldest: number } | null> {
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
