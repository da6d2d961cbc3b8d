import { readBeginning, type FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** Largest such file, and what they may take together in one workspace folder, in bytes. */
const mostFileBytes = 1_000_000;
const mostBytes = 20_000_000;
/** Files that are looked at in one scan of a workspace folder. */
const mostLooked = 2_000;
const probedBytes = 8_000;

/**
 * Chooses small text files among what only the built-in list leaves out: nobody said that they may be lost, and a person may have written them. Begins
 * with each scan; what is chosen depends on the files and their order alone.
 */
export class SpareTexts {
  private bytes = 0;
  private looked = 0;

  constructor(private readonly fileSystem: FileSystem) {}

  /** Tells whether more files are looked at. */
  get hasRoom(): boolean {
    return this.looked < mostLooked && this.bytes < mostBytes;
  }

  /** Tells whether a file is taken. `isText`: it was one when it was read last, and has not changed since. */
  takes(file: string, isText: boolean): boolean {
    if (!this.hasRoom) return false;
    this.looked += 1;
    try {
      const stats = this.fileSystem.lstat(file);
      if (!stats?.isFile() || stats.size > mostFileBytes || this.bytes + stats.size > mostBytes) return false;
      if (!isText && readBeginning(this.fileSystem, file, probedBytes).includes(0)) return false;
      this.bytes += stats.size;
      return true;
    } catch (error) {
      // It goes by its name then.
      if (isSystemError(error)) return false;
      throw error;
    }
  }
}
