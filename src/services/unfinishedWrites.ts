import { lstat, mkdir, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../utils/logger';
import { isTemporaryName } from '../utils/temporaryName';
import { isKnownDead } from './database/windowOwner';
import { writeNotesFolder } from './writeNotesFolder';

/** A write takes seconds; a note that is older was left by a window that cannot be asked. Milliseconds. */
const longest = 3_600_000;

/** Remembers what is written beside the files of a person, from before it is there until it is gone. */
export interface WriteNotes {
  /** Never rejects: a file that cannot be noted is written all the same. */
  begin(temporary: string): Promise<void>;
  end(temporary: string): Promise<void>;
}

export const noWriteNotes: WriteNotes = { begin: () => Promise.resolve(), end: () => Promise.resolve() };

/** Notes in the storage root, one small file for each write under way. */
export class UnfinishedWrites implements WriteNotes {
  constructor(
    private readonly directory: string,
    private readonly owner: string,
    private readonly logger: Logger,
  ) {}

  async begin(temporary: string): Promise<void> {
    try {
      await mkdir(path.join(this.directory, writeNotesFolder), { recursive: true });
      await writeFile(this.noteOf(temporary), JSON.stringify({ owner: this.owner, path: temporary }), {
        flag: 'wx',
        mode: 0o600,
      });
    } catch (error) {
      this.logger.warn(`Could not note that ${temporary} is being written`, error);
    }
  }

  async end(temporary: string): Promise<void> {
    await rm(this.noteOf(temporary), { force: true }).catch((error: unknown) => {
      this.logger.warn(`The note that ${temporary} is being written stays`, error);
    });
  }

  private noteOf(temporary: string): string {
    return path.join(this.directory, writeNotesFolder, path.basename(temporary));
  }
}

/**
 * Removes what killed windows left beside the files of a person: regular files alone, that are noted, and bear the very name of their note.
 * A write that lives after all fails then, with its file as it was.
 */
export async function removeUnfinishedWrites(directory: string, now: number, logger: Logger): Promise<void> {
  const folder = path.join(directory, writeNotesFolder);
  for (const name of await readdir(folder).catch(() => [])) {
    try {
      await removeUnfinished(path.join(folder, name), now);
    } catch (error) {
      logger.warn(`What ${name} notes could not be removed`, error);
    }
  }
}

async function removeUnfinished(note: string, now: number): Promise<void> {
  const name = path.basename(note);
  if (!isTemporaryName(name)) return;
  const { mtimeMs } = await stat(note);
  const noted = parse(await readFile(note, 'utf8'));
  if (!(noted !== null && isKnownDead(noted.owner)) && now - mtimeMs < longest) return;
  // A note that was cut off itself stands for a file that was never begun.
  if (noted !== null && path.isAbsolute(noted.path) && path.basename(noted.path) === name) await removeFile(noted.path);
  await unlink(note);
}

async function removeFile(file: string): Promise<void> {
  const stats = await lstat(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  });
  if (stats?.isFile()) await unlink(file);
}

function parse(text: string): { owner: string; path: string } | null {
  try {
    const { owner, path: file } = JSON.parse(text) as Record<string, unknown>;
    return typeof owner === 'string' && typeof file === 'string' ? { owner, path: file } : null;
  } catch {
    return null;
  }
}
