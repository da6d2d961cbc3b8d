import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, open, readFile, rm } from 'node:fs/promises';

/** Name of the file in the storage folder that contains the API's URL and token. */
export const tokenFileName = 'api.json';

/** Creates a token of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares tokens in constant time. */
export function isSameToken(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** Returns the name of the key file for a client that is allowed at the start. */
export function clientFileName(client: string): string {
  return `api.${encodeURIComponent(client)}.json`;
}

/** Content of the token file. The key file of a client also contains its name and key. */
export interface AccessFile {
  url: string;
  token: string;
  client?: string;
  key?: string;
}

/** Writes a file that only its owner can read. Returns a function that removes it, unless another process has overwritten it. */
export async function writeAccessFile(file: string, content: AccessFile): Promise<() => Promise<void>> {
  const text = `${JSON.stringify({ ...content, pid: process.pid })}\n`;
  await rm(file, { force: true });
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  // The umask may have removed permissions of the owner.
  await chmod(file, 0o600);
  return async () => {
    const written = await readFile(file, 'utf8').catch(() => '');
    // Another process with the same storage may have overwritten the file.
    if (written === text) await rm(file, { force: true });
  };
}
