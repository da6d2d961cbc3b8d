import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../utils/logger';
import { isTemporaryName } from '../utils/temporaryName';
import { isKnownDead } from './database/windowOwner';
import { writeNotesFolder } from './writeNotesFolder';

/** A write takes seconds; a note that is older was left by a window that cannot be asked. Milliseconds. */
const longest = 3_600_000;
/** A name is taken right after that is noted; file systems and clocks tell the time roughly. Milliseconds. */
const claimMs = 10_000;
const claimEnding = '.claim';

/** Remembers what is written beside the files of a person, from before it is there until it is gone. */
export interface WriteNotes {
  /** Never rejects: a file that cannot be noted is written all the same. */
  begin(temporary: string): Promise<void>;
  end(temporary: string): Promise<void>;
  /** For a free name that is about to be taken for `source`, which then moves there. Answers what ends the note; neither rejects. */
  claim(target: string, source: string): Promise<() => Promise<void>>;
}

export const noWriteNotes: WriteNotes = {
  begin: () => Promise.resolve(),
  end: () => Promise.resolve(),
  claim: () => Promise.resolve(() => Promise.resolve()),
};

/** Notes in the storage root, one small file for each write under way. */
export class UnfinishedWrites implements WriteNotes {
  constructor(
    private readonly directory: string,
    private readonly owner: string,
    private readonly logger: Logger,
  ) {}

  begin(temporary: string): Promise<void> {
    return this.put(path.basename(temporary), temporary);
  }

  end(temporary: string): Promise<void> {
    return this.remove(path.basename(temporary), temporary);
  }

  async claim(target: string, source: string): Promise<() => Promise<void>> {
    const name = `${randomUUID()}${claimEnding}`;
    await this.put(name, target, source);
    return () => this.remove(name, target);
  }

  private async put(name: string, file: string, source?: string): Promise<void> {
    try {
      const folder = path.join(this.directory, writeNotesFolder);
      await mkdir(folder, { recursive: true });
      const note = JSON.stringify({ owner: this.owner, path: file, source });
      await writeFile(path.join(folder, name), note, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      this.logger.warn(`Could not note that ${file} is being written`, error);
    }
  }

  private async remove(name: string, file: string): Promise<void> {
    await rm(path.join(this.directory, writeNotesFolder, name), { force: true }).catch((error: unknown) => {
      this.logger.warn(`The note that ${file} is being written stays`, error);
    });
  }
}

/**
 * Removes what killed windows left beside the files of a person: regular files alone, that are noted, and bear the very name of their note;
 * and names that were taken for a file that did not move there any more. A write that lives after all fails then, with its file as it was.
 */
export async function removeUnfinishedWrites(directory: string, now: number, logger: Logger): Promise<void> {
  const folder = path.join(directory, writeNotesFolder);
  const names = await readdir(folder).catch(() => []);
  // A taken name goes while the file that it was taken for is still there.
  const [claims, others] = [names.filter(isClaim), names.filter(isTemporaryName)];
  for (const name of [...claims, ...others]) {
    try {
      await removeUnfinished(path.join(folder, name), now);
    } catch (error) {
      logger.warn(`What ${name} notes could not be removed`, error);
    }
  }
}

function isClaim(name: string): boolean {
  return name.endsWith(claimEnding);
}

async function removeUnfinished(note: string, now: number): Promise<void> {
  const name = path.basename(note);
  const { mtimeMs } = await stat(note);
  const noted = parse(await readFile(note, 'utf8'));
  if (!(noted !== null && isKnownDead(noted.owner)) && now - mtimeMs < longest) return;
  // A note that was cut off itself stands for a file that was never begun.
  if (noted !== null && path.isAbsolute(noted.path)) {
    if (isClaim(name)) await removeClaim(noted, mtimeMs);
    else if (path.basename(noted.path) === name) await removeFile(noted.path);
  }
  await unlink(note);
}

async function removeFile(file: string): Promise<void> {
  if ((await fileAt(file)) !== null) await unlink(file);
}

/** Only where that loses nothing: the name is a second one of the source, or stands for an empty file that was made when it was taken. */
async function removeClaim({ path: target, source }: Note, takenAt: number): Promise<void> {
  if (source === null || !path.isAbsolute(source)) return;
  const [taken, moving] = [await fileAt(target), await fileAt(source)];
  if (taken === null || moving === null) return;
  const isSecondName = taken.nlink > 1n && taken.ino === moving.ino && taken.dev === moving.dev;
  const isEmptyClaim = taken.size === 0n && taken.nlink <= 1n && Math.abs(Number(taken.mtimeMs) - takenAt) <= claimMs;
  if (isSecondName || isEmptyClaim) await unlink(target);
}

/** Null where there is no regular file. */
async function fileAt(file: string): Promise<BigIntStats | null> {
  const stats = await lstat(file, { bigint: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  });
  return stats?.isFile() === true ? stats : null;
}

interface Note {
  owner: string;
  path: string;
  /** Of a taken name: the file that is to move there. */
  source: string | null;
}

function parse(text: string): Note | null {
  try {
    const { owner, path: file, source } = JSON.parse(text) as Record<string, unknown>;
    if (typeof owner !== 'string' || typeof file !== 'string') return null;
    return { owner, path: file, source: typeof source === 'string' ? source : null };
  } catch {
    return null;
  }
}
