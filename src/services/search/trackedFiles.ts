import { readFile, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { isSystemError } from '../checkpoint/fileSystem';
import type { TrackedNames } from '../checkpoint/scan/gitIndex';
import { maxIndexBytes, trackedNamesStepwise, type Repository } from '../checkpoint/scan/repository';

/** What git tracks, by repository: read when it is first asked for, without holding anything up. */
export class TrackedFiles {
  private readonly known = new Map<string, Promise<TrackedNames>>();

  of(repository: Repository): Promise<TrackedNames> {
    const { gitDirectory } = repository;
    const known = this.known.get(gitDirectory) ?? readTracked(repository);
    this.known.set(gitDirectory, known);
    return known;
  }
}

async function readTracked(repository: Repository): Promise<TrackedNames> {
  const steps = trackedNamesStepwise(repository);
  let step = steps.next();
  while (step.done !== true) {
    if (step.value === undefined) await setImmediate();
    step = steps.next(step.value === undefined ? null : await bytesOf(step.value));
  }
  return step.value;
}

async function bytesOf(file: string): Promise<Buffer | null> {
  try {
    const stats = await stat(file);
    return stats.isFile() && stats.size <= maxIndexBytes ? await readFile(file) : null;
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}
