import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, open, readFile, rm } from 'node:fs/promises';

/** Name of the file in the storage that says where the API is and by which token. */
export const tokenFileName = 'api.json';

/** Makes a token of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that tells nothing of either. */
export function isSameToken(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** Returns the name of the file with the key of a client that was allowed beforehand. */
export function clientFileName(client: string): string {
  return `api.${encodeURIComponent(client)}.json`;
}

/** Content of a file that says where the API is: for every client, or, with its name and its key, for one. */
export interface AccessFile {
  url: string;
  token: string;
  client?: string;
  key?: string;
}

/** Writes a file for clients of the same person; nobody else may read it. Returns what removes it, unless another has written one since. */
export async function writeAccessFile(file: string, content: AccessFile): Promise<() => Promise<void>> {
  const text = `${JSON.stringify({ ...content, pid: process.pid })}\n`;
  await rm(file, { force: true });
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  // Where the mask of the process would have left it more.
  await chmod(file, 0o600);
  return async () => {
    const written = await readFile(file, 'utf8').catch(() => '');
    // Another one that shares the storage may have written its own since.
    if (written === text) await rm(file, { force: true });
  };
}
