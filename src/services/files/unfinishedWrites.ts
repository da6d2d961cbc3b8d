import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { appendFile, link, lstat, mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../utils/logger';
import { retryWhileInUse } from '../../utils/files/retryWhileInUse';
import { isTemporaryName, temporaryName } from '../../utils/files/temporaryName';
import { createOwner, isKnownDead, isOfThisMachine } from '../database/sessions/windowOwner';
import { writeNotesFolder } from './writeNotesFolder';
import { isSystemError } from '../../utils/errors';

/** Milliseconds after which a note is treated as abandoned. A write takes only seconds. */
const maxNoteAgeMs = 3_600_000;
/** Maximum milliseconds between a note and the creation of its claimed file, with tolerance for clock differences. */
const claimToleranceMs = 10_000;
const claimEnding = '.claim';

/** Records temporary files next to the user's files, from before they are created until they are deleted. */
export interface WriteNotes {
  /** Records a temporary file. Never rejects, because the file is written even if recording fails. */
  begin(temporary: string): Promise<void>;
  end(temporary: string): Promise<void>;
  /** Records an unused name to which `source` will move. A link or an empty file claims this name. Never rejects. */
  claim(target: string, source: string, as: ClaimKind): Promise<FileClaim>;
}

type ClaimKind = 'link' | 'empty';

/** Record of a claimed name. Its methods never reject. */
export interface FileClaim {
  /** Limits the claim to this empty file. */
  made(file: BigIntStats): Promise<void>;
  end(): Promise<void>;
}

export const noWriteNotes: WriteNotes = {
  begin: () => Promise.resolve(),
  end: () => Promise.resolve(),
  claim: () => Promise.resolve({ made: () => Promise.resolve(), end: () => Promise.resolve() }),
};

/** Stores one small note file in the storage root for each active write. */
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

  async claim(target: string, source: string, as: ClaimKind): Promise<FileClaim> {
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

  /** Appends a line to the note, so that the first line stays valid after an interruption. */
  private async add(name: string, target: string, file: BigIntStats): Promise<void> {
    const line = `\n${JSON.stringify({ file: createIdentity(file) })}`;
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
 * Removes files that killed windows left next to the user's files. These are regular files that have the recorded name, and
 * claimed names whose source was not moved. A write that is still active fails, and its file stays unchanged.
 */
export async function removeUnfinishedWrites(directory: string, now: number, logger: Logger): Promise<void> {
  const folder = path.join(directory, writeNotesFolder);
  const names = await readdir(folder).catch(() => []);
  // Process claims first: a claimed name is removed only while its source still exists.
  const claims = names.filter(isClaim);
  const others = names.filter(isTemporaryName);
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
  // If another machine wrote the note, the path may belong to a different file on this machine. The name of a temporary file is
  // unique, even on shared disks.
  if (noted !== null && !isOfThisMachine(noted.owner) && (isClaim(name) || (await fileAt(noted.path)) === null)) return;
  if (!(noted !== null && isKnownDead(noted.owner)) && now - mtimeMs < maxNoteAgeMs) return;
  // An incomplete note means that the file was never created.
  if (noted !== null && path.isAbsolute(noted.path)) {
    if (isClaim(name)) await removeClaim(path.dirname(note), noted, mtimeMs);
    else if (path.basename(noted.path) === name) await removeFile(noted.path);
  }
  await retryWhileInUse(() => unlink(note));
}

async function removeFile(file: string): Promise<void> {
  if ((await fileAt(file)) !== null) await retryWhileInUse(() => unlink(file));
}

/** Renames the claimed file and checks it again under the new name, where no other program replaces it. */
async function removeClaim(folder: string, claim: Note, takenAt: number): Promise<void> {
  if (claim.aside !== undefined) return resolveAside(claim.aside, claim);
  const taken = await fileAt(claim.path);
  if (taken === null || !(await isClaimed(taken, claim, takenAt))) return;
  const aside = temporaryName();
  const moved = { ...claim, owner: createOwner(), file: createIdentity(taken), aside };
  const note = path.join(folder, `${randomUUID()}${claimEnding}`);
  await writeNote(note, moved);
  // Another window may have renamed it.
  await retryWhileInUse(() => rename(claim.path, path.join(path.dirname(claim.path), aside))).catch(nullIfMissing);
  await resolveAside(aside, moved);
  await retryWhileInUse(() => unlink(note));
}

/** Deletes the renamed file, or moves a different file back. Rejects if the path is in use, or there are no hard links. */
async function resolveAside(name: string, claim: Note): Promise<void> {
  if (!isTemporaryName(name)) return;
  const aside = path.join(path.dirname(claim.path), name);
  const taken = await lstat(aside, { bigint: true }).catch(nullIfMissing);
  if (taken === null) return;
  // Renaming a folder cannot overwrite a file.
  if (taken.isDirectory()) return rename(aside, claim.path);
  const isBack = isSecondName(taken, await fileAt(claim.path));
  if (!isBack && !(taken.isFile() && (await isClaimed(taken, claim, 0)))) await link(aside, claim.path);
  await retryWhileInUse(() => unlink(aside));
}

/** Returns true if a file can be deleted without loss: it is a second name of the source, or the empty file of the claim. */
async function isClaimed(taken: BigIntStats, { source, as, file }: Note, takenAt: number): Promise<boolean> {
  const moving = source !== undefined && path.isAbsolute(source) ? await fileAt(source) : null;
  if (moving === null) return false;
  if (isSecondName(taken, moving)) return true;
  if (taken.size > 0n || taken.nlink > 1n) return false;
  // Until the empty file is recorded, only its time identifies it.
  return file === undefined
    ? as === 'empty' && Math.abs(Number(taken.mtimeMs) - takenAt) <= claimToleranceMs
    : createIdentity(taken) === file;
}

function isSecondName(one: BigIntStats, other: BigIntStats | null): boolean {
  return one.nlink > 1n && one.ino === other?.ino && one.dev === other.dev;
}

/** Returns an id of a file. It includes the modification time, because inode numbers are reused. */
function createIdentity({ dev, ino, mtimeNs }: BigIntStats): string {
  return [dev, ino, mtimeNs].join(':');
}

/** Returns the stats of a regular file. Returns null for anything else. */
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
  /** File that will be moved to the claimed name. */
  source?: string;
  as?: string;
  /** Identity of the empty file. */
  file?: string;
  /** Name in the same folder to which a later start renamed the file. */
  aside?: string;
}

function writeNote(note: string, content: Note): Promise<void> {
  return writeFile(note, JSON.stringify(content), { flag: 'wx', mode: 0o600 });
}

/** Parses a note. The optional second line identifies the claimed file. Returns null if the first line is incomplete. */
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
