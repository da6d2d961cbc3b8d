import { randomBytes } from 'node:crypto';
import { lstat, open, readFile, readlink, rename, rm, symlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Maximum size of a file to back up, in bytes. Git settings are far smaller. */
const maxBytes = 4 * 1024 ** 2;

/** State of a path. Null means that nothing exists. `other` is a folder, a device, or a file that is too large to back up. */
export type Kept = { kind: 'file'; bytes: Buffer; mode: number } | { kind: 'link'; target: string } | { kind: 'other' } | null;

export async function readKept(file: string): Promise<Kept> {
  const stats = await lstat(file).catch(() => null);
  if (stats === null) return null;
  if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(file).catch(() => '') };
  if (!stats.isFile() || stats.size > maxBytes) return { kind: 'other' };
  const bytes = await readFile(file).catch(() => null);
  return bytes === null ? { kind: 'other' } : { kind: 'file', bytes, mode: stats.mode & 0o777 };
}

/** Returns whether two states are equal. Two `other` states count as equal. */
export function isSameKept(before: Kept, now: Kept): boolean {
  if (before === null || now === null) return before === now;
  if (before.kind === 'file') return now.kind === 'file' && before.mode === now.mode && before.bytes.equals(now.bytes);
  if (before.kind === 'link') return now.kind === 'link' && before.target === now.target;
  return now.kind === 'other';
}

/**
 * Restores files while a command may still change them. Renames a file or folder at the path instead of deleting it. Deleting a
 * folder is unsafe, because it opens the entries by name, and the command could replace an entry with a link. `removeAside`
 * deletes the renamed files after the command has ended.
 */
export class KeptFiles {
  private readonly aside: string[] = [];

  async restore(file: string, kept: Kept): Promise<void> {
    await makeWritable(dirname(file));
    const now = await lstat(file).catch(() => null);
    // Renaming a file over the path replaces a file or a link, but not a folder.
    if (now !== null && (kept === null || kept.kind === 'other' || now.isDirectory())) await this.moveAside(file);
    if (kept === null || kept.kind === 'other') return;
    const temporary = siblingName(file);
    this.aside.push(temporary);
    if (kept.kind === 'link') await symlink(kept.target, temporary);
    else await writeNew(temporary, kept);
    await rename(temporary, file);
  }

  /** Deletes the renamed files. Call it after all processes of the command have ended. */
  async removeAside(): Promise<void> {
    for (const path of this.aside.splice(0)) {
      const stats = await lstat(path).catch(() => null);
      if (stats?.isDirectory() === true) await makeWritable(path);
      await rm(path, { recursive: true, force: true });
    }
  }

  private async moveAside(file: string): Promise<void> {
    const aside = siblingName(file);
    this.aside.push(aside);
    await rename(file, aside);
  }
}

function siblingName(file: string): string {
  return `${file}.ollama-copilot-${randomBytes(8).toString('hex')}`;
}

/** Writes content and mode through one descriptor, so that they cannot reach another file. */
async function writeNew(file: string, { bytes, mode }: Extract<Kept, { kind: 'file' }>): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

/** Restores the user's access rights to a folder, because a command may have removed them. */
async function makeWritable(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    const { mode } = await handle.stat();
    if ((mode & 0o700) !== 0o700) await handle.chmod((mode & 0o777) | 0o700);
  } catch {
    // If this fails, restoring fails too and reports the reason.
  } finally {
    await handle?.close();
  }
}
