import { lstat, readFile, realpath } from 'node:fs/promises';

/** Folders that are private or empty in the sandbox. */
const notShown = /^\/(run|tmp|var\/run|var\/tmp|dev|proc)\//;

/**
 * Returns the Unix sockets on which local programs listen and that a sandboxed command would see, such as sockets of containers,
 * editors and agents. Returns an empty list if the system does not list sockets.
 */
export async function openSockets(list = '/proc/net/unix'): Promise<string[]> {
  const text = await readFile(list, 'utf8').catch(() => '');
  const paths = text.split('\n').flatMap((line) => /^\S+:(?:\s+\S+){6} (\/.*)$/.exec(line)?.[1] ?? []);
  const shown = [...new Set(paths)].filter((path) => !notShown.test(path));
  const found = await Promise.all(
    shown.map(async (path) =>
      (await lstat(path).catch(() => null))?.isSocket() === true ? realpath(path).catch(() => null) : null,
    ),
  );
  return found.filter((path) => path !== null);
}
