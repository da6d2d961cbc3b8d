import { sep } from 'node:path';
import type { FileStep } from '../database/sessions/fileOperations';
import { FileError } from '../files/fileError';
import type { CurrentFile, FilesOnDisk } from '../files/fileOnDisk';

/**
 * Reads files as they will be once all that is planned so far is carried out. A removed file is gone under each of its names (on some
 * disks
 * `readme.md` and `README.md` are one file), and a folder from which something is removed is free for a file.
 */
export class FilesLeft {
  private readonly stamps = new Map<string, string>();
  private readonly gone: string[] = [];

  constructor(private readonly files: FilesOnDisk) {}

  /** Reads a file like `FilesOnDisk.read`. */
  async read(path: string, shown: string): Promise<CurrentFile> {
    const nothing = { path, shown, state: null, hash: null };
    try {
      const current = await this.files.read(path, shown);
      if (current.state === null) return nothing;
      const { stamp } = current.state.stats;
      if (this.gone.some((other) => this.stamps.get(other) === stamp)) return nothing;
      this.stamps.set(path, stamp);
      return current;
    } catch (error) {
      if (error instanceof FileError && error.reason === 'notAFile' && this.goesBelow(path)) return nothing;
      throw error;
    }
  }

  /** Steps of files that were read here. */
  plan(steps: readonly FileStep[]): void {
    this.gone.push(...steps.filter(({ from, to }) => from !== null && to === null).map(({ path }) => path));
  }

  private goesBelow(path: string): boolean {
    return this.gone.some((other) => other.startsWith(path + sep));
  }
}
