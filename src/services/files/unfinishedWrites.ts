import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { appendFile, link, lstat, mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../utils/logger';
import { isTemporaryName, temporaryName } from '../../utils/files/temporaryName';
import { createOwner, isKnownDead, isOfThisMachine } from '../database/sessions/windowOwner';
import { writeNotesFolder } from './writeNotesFolder';
import { isSystemError } from '../../utils/errors';

/** A write takes seconds; a note that is older was left by a window that cannot be asked. Milliseconds. */
const longest = 3_600_000;
/** A name is taken right after that is noted; file systems and clocks tell the time roughly. Milliseconds. */
const claimMs = 10_000;
const claimEnding = '.claim';

/** Remembers what is written beside the files of a person, from before it is there until it is gone. */
export interface WriteNotes {
  /** Notes a temporary file. Never rejects: a file that cannot be noted is written all the same. */
  begin(temporary: string): Promise<void>;
  end(temporary: string): Promise<void>;
  /**
   * Notes a free name that is about to be taken for `source`, which then moves there: by a link to it, or by an empty
   * file. Never rejects.
   */
  claim(target: string, source: string, as: ClaimKind): Promise<Claim>;
}

type ClaimKind = 'link' | 'empty';

/** The note of a name that is taken; neither rejects. */
export interface Claim {
  /** Binds the claim to this empty file alone. */
  made(file: BigIntStats): Promise<void>;
  end(): Promise<void>;
}

export const noWriteNotes: WriteNotes = {
  begin: () => Promise.resolve(),
  end: () => Promise.resolve(),
  claim: () => Promise.resolve({ made: () => Promise.resolve(), end: () => Promise.resolve() }),
};

/** Notes in the storage root, one small file for each write under way. */
export class UnfinishedWrites implements WriteNotes {
  constructor(
    private readonly directory: string,
    private readonly owner: string,
    private readonly logger: Logger,
  ) {}

  begin(temporary: string): Promise<void> {
    return this.put(path.basename(temporary), { path: temporary });
  }

  end(temporary: string): Promise<void> {
    return this.remove(path.basename(temporary), temporary);
  }

  async claim(target: string, source: string, as: ClaimKind): Promise<Claim> {
    const name = `${randomUUID()}${claimEnding}`;
    await this.put(name, { path: target, source, as });
    return { made: (file) => this.add(name, target, file), end: () => this.remove(name, target) };
  }

  private async put(name: string, note: Omit<Note, 'owner'>): Promise<void> {
    try {
      const folder = path.join(this.directory, writeNotesFolder);
      await mkdir(folder, { recursive: true });
      await writeNote(path.join(folder, name), { owner: this.owner, ...note });
    } catch (error) {
      this.logger.warn(`Could not note that ${note.path} is being written`, error);
    }
  }

  /** Adds a line to the note, so that the first one stays whole whenever this is cut off. */
  private async add(name: string, target: string, file: BigIntStats): Promise<void> {
    const line = `\n${JSON.stringify({ file: identityOf(file) })}`;
    await appendFile(path.join(this.directory, writeNotesFolder, name), line).catch((error: unknown) => {
      this.logger.warn(`Could not note which file ${target} is`, error);
    });
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
  // The same path may mean something else here; but the name of a temporary file is nobody else's, on a disk that several machines see too.
  if (noted !== null && !isOfThisMachine(noted.owner) && (isClaim(name) || (await fileAt(noted.path)) === null)) return;
  if (!(noted !== null && isKnownDead(noted.owner)) && now - mtimeMs < longest) return;
  // A note that was cut off itself stands for a file that was never begun.
  if (noted !== null && path.isAbsolute(noted.path)) {
    if (isClaim(name)) await removeClaim(path.dirname(note), noted, mtimeMs);
    else if (path.basename(noted.path) === name) await removeFile(noted.path);
  }
  await unlink(note);
}

async function removeFile(file: string): Promise<void> {
  if ((await fileAt(file)) !== null) await unlink(file);
}

/** Moves the file with the claimed name aside and checks it again there, where nobody else can put another in its place. */
async function removeClaim(folder: string, claim: Note, takenAt: number): Promise<void> {
  if (claim.aside !== undefined) return settleAside(claim.aside, claim);
  const taken = await fileAt(claim.path);
  if (taken === null || !(await isClaimed(taken, claim, takenAt))) return;
  const aside = temporaryName();
  const moved = { ...claim, owner: createOwner(), file: identityOf(taken), aside };
  const note = path.join(folder, `${randomUUID()}${claimEnding}`);
  await writeNote(note, moved);
  // Another window may have been quicker.
  await rename(claim.path, path.join(path.dirname(claim.path), aside)).catch(nullIfMissing);
  await settleAside(aside, moved);
  await unlink(note);
}

/** Removes what was moved aside, or puts it back where it is something else. Rejects where its place is taken or there are no hard links. */
async function settleAside(name: string, claim: Note): Promise<void> {
  if (!isTemporaryName(name)) return;
  const aside = path.join(path.dirname(claim.path), name);
  const taken = await lstat(aside, { bigint: true }).catch(nullIfMissing);
  if (taken === null) return;
  // A folder takes the place of no file.
  if (taken.isDirectory()) return rename(aside, claim.path);
  const isBack = isSecondName(taken, await fileAt(claim.path));
  if (!isBack && !(taken.isFile() && (await isClaimed(taken, claim, 0)))) await link(aside, claim.path);
  await unlink(aside);
}

/** Tells whether removing a file loses nothing: it is a second name of the source, or the empty file made to take the name. */
async function isClaimed(taken: BigIntStats, { source, as, file }: Note, takenAt: number): Promise<boolean> {
  const moving = source !== undefined && path.isAbsolute(source) ? await fileAt(source) : null;
  if (moving === null) return false;
  if (isSecondName(taken, moving)) return true;
  if (taken.size > 0n || taken.nlink > 1n) return false;
  // Between the moment that it was made and the one that it was noted only the time tells.
  return file === undefined ? as === 'empty' && Math.abs(Number(taken.mtimeMs) - takenAt) <= claimMs : identityOf(taken) === file;
}

function isSecondName(one: BigIntStats, other: BigIntStats | null): boolean {
  return one.nlink > 1n && one.ino === other?.ino && one.dev === other.dev;
}

/** Returns a mark of a file that includes its time, as the number of a deleted file is given to another. */
function identityOf({ dev, ino, mtimeNs }: BigIntStats): string {
  return [dev, ino, mtimeNs].join(':');
}

/** Returns the stats of a regular file; null if there is none. */
async function fileAt(file: string): Promise<BigIntStats | null> {
  const stats = await lstat(file, { bigint: true }).catch(nullIfMissing);
  return stats?.isFile() === true ? stats : null;
}

function nullIfMissing(error: unknown): null {
  if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return null;
  throw error;
}

interface Note {
  owner: string;
  path: string;
  /** File that is to move to a claimed name. */
  source?: string;
  as?: string;
  /** The identity of the empty file that was made. */
  file?: string;
  /** The name beside it to which a start moved what had it. */
  aside?: string;
}

function writeNote(note: string, content: Note): Promise<void> {
  return writeFile(note, JSON.stringify(content), { flag: 'wx', mode: 0o600 });
}

/** Parses a note: the first line is the note, a second one names the file that was made. Null if the first was cut off. */
function parse(text: string): Note | null {
  const [first, second] = text.split('\n').map(stringsIn);
  const note = { ...first, ...second };
  return hasPath(note) ? note : null;
}

function hasPath(note: Partial<Note>): note is Note {
  return note.owner !== undefined && note.path !== undefined;
}

function stringsIn(line: string): Record<string, string> {
  try {
    const entries = Object.entries(JSON.parse(line) as object);
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}
