import type { Dirent } from 'node:fs';
import { lstatSync, readdirSync } from 'node:fs';
import { isSystemError } from '../../../utils/errors';

interface Secrets {
  isSecret(path: string): boolean;
}

interface Listed {
  /** Modification time in nanoseconds. It changes when a name in the folder changes. */
  modified: bigint;
  changed: bigint;
  inode: bigint;
  entries: Dirent[];
}

/**
 * Minimum age of a folder's times, in nanoseconds, so that the next change is certain to change them. File system times have a
 * resolution of a few milliseconds.
 */
const settledNs = 2_000_000_000n;

/**
 * Lists folders and caches each list while the times of its folder do not change. This makes a second walk of a large workspace
 * ten times as fast. An unreadable folder counts as empty.
 */
export class FolderListings {
  private readonly known = new Map<string, Listed>();
  private readonly secret = new WeakMap<Secrets, WeakMap<Dirent, boolean>>();

  /** Returns whether the path of a listed file marks it as secret. Caches the result for the same rules and the same list. */
  isSecret(entry: Dirent, path: string, rules: Secrets): boolean {
    const answers = this.secret.get(rules) ?? new WeakMap<Dirent, boolean>();
    this.secret.set(rules, answers);
    const known = answers.get(entry) ?? rules.isSecret(path);
    answers.set(entry, known);
    return known;
  }

  list(folder: string): Dirent[] {
    try {
      const { mtimeNs: modified, ctimeNs: changed, ino: inode } = lstatSync(folder, { bigint: true });
      const known = this.known.get(folder);
      if (known !== undefined && known.modified === modified && known.changed === changed && known.inode === inode)
        return known.entries;
      const entries = readdirSync(folder, { withFileTypes: true });
      const isSettled = BigInt(Date.now()) * 1_000_000n - changed > settledNs;
      if (isSettled) this.known.set(folder, { modified, changed, inode, entries });
      else this.known.delete(folder);
      return entries;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.known.delete(folder);
      return [];
    }
  }
}
