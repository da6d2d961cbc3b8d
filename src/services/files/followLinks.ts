import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDirectory } from '../../utils/files/isDirectory';
import { phrase } from '../../utils/l10n';
import { PathError } from './pathError';
import { exists } from '../../utils/files/exists';

/**
 * Returns an absolute path without symbolic links in its existing part. Throws `PathError` for a link without a target, and for a
 * path inside a file. Errors contain `shown` as the path.
 */
export async function followLinks(
  target: string,
  shown: string,
  resolveLinks: (path: string) => Promise<string> = realpath,
): Promise<{ real: string; exists: boolean }> {
  const missing: string[] = [];
  for (let current = target; ; current = dirname(current)) {
    const real = await resolveLinks(current).catch((error: unknown) => {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return null;
      throw code === 'ENOTDIR'
        ? insideFile(shown)
        : new PathError('invalid', phrase('{0} cannot be resolved ({1}).', shown, code));
    });
    if (real !== null) {
      // Windows reports a path inside a file as missing.
      if (missing.length > 0 && !(await isDirectory(real))) throw insideFile(shown);
      return { real: join(real, ...missing), exists: missing.length === 0 };
    }
    // Writing through a broken link would create its target.
    if (await exists(current)) throw new PathError('outside', phrase('{0} contains a link whose target does not exist.', shown));
    if (dirname(current) === current) throw new PathError('invalid', phrase('{0} cannot be resolved.', shown));
    missing.unshift(basename(current));
  }
}

function insideFile(shown: string): PathError {
  return new PathError('invalid', phrase('{0}: part of this path is a file, not a folder.', shown));
}
