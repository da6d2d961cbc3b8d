import path from 'node:path';
import { readBeginning, writeAll, type FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** Tolerance in milliseconds when comparing boot times. The clock may have been adjusted. */
const sameStartMs = 10_000;

/**
 * Records the completed steps of a restore, so that a resumed restore does not repeat them. The file is not synced, so it
 * survives a process crash, but not a system crash. After a reboot it is ignored, because the steps may be lost too. Write errors
 * are ignored.
 */
export class DoneSteps {
  private readonly done = new Set<number>();
  private opened: number | null = null;
  private length = 0;

  /** `file` is a path in the storage. `bootedAt` is the machine's boot time in milliseconds. */
  constructor(
    private readonly fileSystem: FileSystem,
    file: string,
    bootedAt: number,
  ) {
    this.quietly(() => {
      const size = fileSystem.lstat(file)?.size;
      const known = size === undefined ? null : readBeginning(fileSystem, file, size).toString();
      // Ignore an incomplete last line.
      const whole = known?.slice(0, known.lastIndexOf('\n') + 1) ?? '';
      const [start, ...lines] = whole.split('\n');
      const isOfThisStart = whole !== '' && Math.abs(Number(start) - bootedAt) < sameStartMs;
      if (known !== null && !isOfThisStart) fileSystem.remove(file);
      this.opened = fileSystem.open(file, isOfThisStart ? 'r+' : 'wx', 0o600);
      for (const line of isOfThisStart ? lines : []) if (line !== '') this.done.add(Number(line));
      this.length = isOfThisStart ? whole.length : 0;
      if (!isOfThisStart) this.append(`${bootedAt}\n`);
    });
  }

  has(step: number): boolean {
    return this.done.has(step);
  }

  add(step: number): void {
    this.done.add(step);
    this.quietly(() => this.append(`${step}\n`));
  }

  close(): void {
    const { opened } = this;
    this.opened = null;
    if (opened !== null) this.quietly(() => this.fileSystem.close(opened));
  }

  private append(text: string): void {
    if (this.opened === null) return;
    const bytes = Buffer.from(text);
    writeAll(this.fileSystem, this.opened, bytes, this.length);
    this.length += bytes.length;
  }

  private quietly(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      // Stop writing: a partial line would merge with the next one.
      this.close();
    }
  }
}

/** Folder with one `DoneSteps` file for each running restore. */
export class DoneStepsFolder {
  constructor(
    private readonly fileSystem: FileSystem,
    private readonly folder: string,
    private readonly bootedAt: () => number,
  ) {}

  open(operationId: string): DoneSteps {
    this.quietly(() => {
      if (this.fileSystem.lstat(this.folder) === undefined) this.fileSystem.makeFolder(this.folder);
    });
    return new DoneSteps(this.fileSystem, path.join(this.folder, operationId), this.bootedAt());
  }

  /** Removes the record of a finished restore. */
  forget(operationId: string): void {
    this.quietly(() => this.fileSystem.remove(path.join(this.folder, operationId)));
  }

  /** Removes the records that killed processes left for restores that are no longer running. */
  sweep(isRunning: (operationId: string) => boolean): void {
    this.quietly(() => {
      if (this.fileSystem.lstat(this.folder) === undefined) return;
      for (const { name } of this.fileSystem.list(this.folder)) if (!isRunning(name)) this.forget(name);
    });
  }

  private quietly(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}
