import { execFile } from 'node:child_process';
import { chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes a folder read-only, with a mount if it would stay writable for root. Returns a function that makes the folder writable again. */
export async function makeReadOnly(folder: string): Promise<() => Promise<void>> {
  await chmod(folder, 0o555);
  if (!(await isWritable(folder))) return () => chmod(folder, 0o755);
  await run('mount', ['--bind', folder, folder]);
  await run('mount', ['-o', 'remount,ro,bind', folder]);
  return async () => {
    await run('umount', ['-l', folder]);
    await chmod(folder, 0o755);
  };
}

async function isWritable(folder: string): Promise<boolean> {
  const probe = path.join(folder, '.probe');
  try {
    await writeFile(probe, '');
    await rm(probe);
    return true;
  } catch {
    return false;
  }
}
