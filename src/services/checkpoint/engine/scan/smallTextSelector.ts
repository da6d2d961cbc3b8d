import { readBeginning, type FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** Maximum bytes per file, and per workspace folder. */
const mostFileBytes = 1_000_000;
const mostBytes = 20_000_000;
/** Maximum number of files to check per scan of a workspace folder. */
const maxChecked = 2_000;
const probedBytes = 8_000;

/**
 * Selects small text files that only the built-in list excludes, because the user may have written them. Create one per scan. The
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

  /** Returns true if a file is selected. `isText` means that the file was text when it was last read, and has not changed. */
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
      // Select nothing, so that only the file's name is recorded.
      if (isSystemError(error)) return false;
      throw error;
    }
  }
}
