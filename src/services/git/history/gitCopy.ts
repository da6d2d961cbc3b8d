import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, open, readdir, readlink, symlink, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../../utils/errors';

/** File, link or folder in a copy. `path` is relative, with `/`. It is empty for the copied file or folder itself. */
export type CopiedEntry = { path: string; mode: number } & ({ size: number } | { target: string } | { isFolder: true });

/** Content of a `.git` at one point in time. */
export interface GitListing {
  entries: CopiedEntry[];
  /** Key that does not change as long as no file changes. */
  key: string;
}

/** Matches temporary files of Git and its tools, relative to the `.git`. */
const passing = /(^|\/)(fsmonitor--daemon|lfs\/(tmp|incomplete)|objects\/(.*\/)?tmp_[^/]*|[^/]*\.lock|gc\.pid)$/;
/** Number of bytes at the start of a copy that contain the length of the list. */
const lengthBytes = 8;

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/**
 * Lists a `.git` file or folder, or a bare repository. Does not follow links and skips `without`. Rejects if the content exceeds
 * `mostBytes` or is missing, or if the signal fires.
 */
export async function listGit(
  entry: string,
  { mostBytes, without, signal }: { mostBytes: number; without?: RegExp | undefined; signal: AbortSignal },
): Promise<GitListing> {
  const entries: CopiedEntry[] = [];
  const hash = createHash('sha256');
  let bytes = 0;
  const visit = async (relative: string): Promise<void> => {
    signal.throwIfAborted();
    const file = path.join(entry, relative);
    const stats = await lstat(file, { bigint: true });
    const mode = Number(stats.mode & 0o777n);
    if (stats.isDirectory()) {
      entries.push({ path: relative, mode, isFolder: true });
      hash.update(`${relative}\0`);
      for (const name of (await readdir(file)).sort()) {
        const inside = relative === '' ? name : `${relative}/${name}`;
        if (!passing.test(inside) && without?.test(inside) !== true) await visit(inside);
      }
      return;
    }
    if (stats.isFile()) entries.push({ path: relative, mode, size: Number(stats.size) });
    else if (stats.isSymbolicLink()) entries.push({ path: relative, mode, target: await readlink(file) });
    bytes += Number(stats.size);
    if (bytes > mostBytes) throw new TooLarge(`${entry} has more than ${mostBytes} bytes`);
    hash.update(`${relative}\0${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino}\0`);
  };
  await visit('');
  return { entries, key: hash.digest('hex') };
}

/** Writes the listed files to one file: length of the list, list as JSON, contents. Rejects if a file has changed. */
export async function writeCopy(entry: string, { entries }: GitListing, file: string, signal: AbortSignal): Promise<void> {
  const list = Buffer.from(JSON.stringify(entries), 'utf8');
  const length = Buffer.alloc(lengthBytes);
  length.writeBigUInt64LE(BigInt(list.length));
  const to = await open(file, 'wx', 0o600);
  try {
    await to.writeFile(Buffer.concat([length, list]));
    for (const one of entries) {
      signal.throwIfAborted();
      if ('size' in one) await to.writeFile(await readContent(path.join(entry, one.path), one.size));
    }
  } finally {
    await to.close();
  }
}

async function readContent(file: string, size: number): Promise<Buffer> {
  const opened = await open(file, 'r');
  try {
    const content = await opened.readFile();
    if (content.length !== size) throw new Error(`${file} has changed`);
    return content;
  } finally {
    await opened.close();
  }
}

/** Extracts the copied file or folder to `to`, which must not exist. Rejects if the copy is not valid. */
export async function extractCopy(file: string, to: string): Promise<void> {
  const from = await open(file, 'r');
  try {
    const entries = JSON.parse(
      (await next(from, Number((await next(from, lengthBytes)).readBigUInt64LE()))).toString(),
    ) as CopiedEntry[];
    const folders: CopiedEntry[] = [];
    for (const one of entries) {
      if (one.path.split('/').some((name) => name === '..') || path.isAbsolute(one.path))
        throw new Error(`${one.path} is outside`);
      const target = path.join(to, one.path);
      if ('isFolder' in one) {
        await mkdir(target);
        folders.push(one);
      } else if ('target' in one) await symlink(one.target, target).catch(ignoreUnsupportedLinks);
      else {
        await writeFile(target, await next(from, one.size), { flag: 'wx' });
        await chmod(target, one.mode);
      }
    }
    for (const folder of folders.reverse()) await chmod(path.join(to, folder.path), folder.mode);
  } finally {
    await from.close();
  }
}

async function next(from: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await from.read(buffer, read, length - read);
    if (bytesRead === 0) throw new Error('The copy ends early');
    read += bytesRead;
  }
  return buffer;
}

/** Windows allows only some users to create links. Git works without them. */
function ignoreUnsupportedLinks(error: unknown): void {
  if (!isSystemError(error, 'EPERM', 'ENOTSUP')) throw error;
}
