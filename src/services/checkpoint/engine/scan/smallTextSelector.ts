import { readBeginning, type FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** Byte limits per file, and per workspace folder. */
const mostFileBytes = 1_000_000;
const mostBytes = 20_000_000;
/** Files checked per scan of a workspace folder. */
const maxChecked = 2_000;
const probedBytes = 8_000;

/**
 * Selects small text files that only the built-in list leaves out, because a person may have written them. Starts with each scan. The
 * result depends only on the files and their order.
 */
export class SmallTextSelector {
  private bytes = 0;
  private checked = 0;

  constructor(private readonly fileSystem: FileSystem) {}

  /** Returns true if more files can be checked. */
  get hasRoom(): boolean {
    return this.checked < maxChecked && this.bytes < mostBytes;
  }

  /** Returns true if a file is selected. `isText`: it was text when last read, and is unchanged. */
  selects(file: string, isText: boolean): boolean {
    if (!this.hasRoom) return false;
    this.checked += 1;
    try {
      const stats = this.fileSystem.lstat(file);
      if (!stats?.isFile() || stats.size > mostFileBytes || this.bytes + stats.size > mostBytes) return false;
      if (!isText && readBeginning(this.fileSystem, file, probedBytes).includes(0)) return false;
      this.bytes += stats.size;
      return true;
    } catch (error) {
      // Only its name is recorded.
      if (isSystemError(error)) return false;
      throw error;
    }
  }
}
