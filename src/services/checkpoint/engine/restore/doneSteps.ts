import path from 'node:path';
import { readBeginning, writeAll, type FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** A machine that was started within as many milliseconds was started once: its clock may have been set meanwhile. */
const sameStartMs = 10_000;

/**
 * Remembers which steps of a restore were carried out, so that whoever finishes it does none of them again. Nothing of it is flushed: it
 * outlives the process, and after a loss of power, which may have taken back steps as well, it does not count. Where the disk refuses it, the
 * restore goes on without.
 */
export class DoneSteps {
  private readonly done = new Set<number>();
  private opened: number | null = null;
  private length = 0;

  /** `file` lies in the storage; `bootedAt` is when the machine was started, in milliseconds. */
  constructor(
    private readonly fileSystem: FileSystem,
    file: string,
    bootedAt: number,
  ) {
    this.quietly(() => {
      const size = fileSystem.lstat(file)?.size;
      const known = size === undefined ? null : readBeginning(fileSystem, file, size).toString();
      // A line that was cut off does not count.
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
      // What is half written would be taken for something else with what follows it.
      this.close();
    }
  }
}

/** Keeps what `DoneSteps` remembers, a file for each restore under way. */
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

  /** Forgets the steps of a restore. Call it once the restore is over. */
  forget(operationId: string): void {
    this.quietly(() => this.fileSystem.remove(path.join(this.folder, operationId)));
  }

  /** Forgets all restores but those that `isRunning` tells of: a process was killed between its end and `forget`. */
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
