import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { isProcessGone } from '../../../utils/processes';
import { seccompFilter } from './seccompFilter';
import { sha256Hex } from '../../../utils/sha256';

/** Folders for the sandboxed commands of one workspace. They are outside the workspace. */
export interface PrivateFolder {
  /** Temporary files. Emptied when a window starts. */
  temporary: string;
  /** Package caches. Kept between windows. */
  caches: string;
  /** Contains the file `empty` and the folder `nothing`, which replace hidden paths. */
  blanks: string;
  /** Filter program for seccomp(2). Null if the processor is unknown. */
  filter: string | null;
}

/** Creates the private folder of a workspace inside `storage`. Removes the temporary files of closed windows. */
export async function preparePrivateFolder(storage: string, roots: readonly string[]): Promise<PrivateFolder> {
  const key = sha256Hex(JSON.stringify(roots)).slice(0, 16);
  const base = join(storage, 'sandbox', key);
  const folder = { temporary: join(base, `tmp-${process.pid}`), caches: join(base, 'caches'), blanks: join(base, 'blanks') };
  await removeLeftovers(base);
  await mkdir(folder.temporary, { recursive: true, mode: 0o700 });
  await mkdir(folder.caches, { recursive: true, mode: 0o700 });
  await mkdir(join(folder.blanks, 'nothing'), { recursive: true });
  await writeFile(join(folder.blanks, 'empty'), '');
  const program = seccompFilter(arch());
  const filter = program === null ? null : join(folder.blanks, 'filter');
  if (program !== null && filter !== null) await writeFile(filter, program);
  return { ...folder, filter };
}

async function removeLeftovers(base: string): Promise<void> {
  const names = await readdir(base).catch(() => []);
  for (const name of names) {
    const pid = Number(/^tmp-(\d+)$/.exec(name)?.[1]);
    if (pid > 0 && pid !== process.pid && isProcessGone(pid)) await rm(join(base, name), { recursive: true, force: true });
  }
}
