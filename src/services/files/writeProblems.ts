import { phrase, t, withAdvice } from '../../utils/l10n';
import { FileError } from './fileError';
import type { ReadFileState } from './fileState';
import type { ResolvedPath } from './workspacePaths';

type Named = Pick<ResolvedPath, 'shown'>;

export function changedMeanwhile({ shown }: Named): FileError {
  return new FileError(
    'changed',
    withAdvice(phrase('{0} was changed in the meantime, so nothing was written.', shown), 'Read the file again.'),
  );
}

export function deletedButOpen({ shown }: Named): FileError {
  const words = {
    local: t(
      '{0} does not exist on disk, but an editor with this name has unsaved changes. Save or close the editor, then try again.',
      shown,
    ),
    english: `${shown} is not on the disk, but an editor holds unsaved text of that name. Ask the user to save or close it.`,
  };
  return new FileError('held', words);
}

/** Throws if a file is read-only, because replacing it would succeed anyway. */
export function assertWritable<T extends ReadFileState>(file: T): T {
  if ((file.stats.mode & 0o222) !== 0) return file;
  const { shown } = file.target;
  const words = {
    local: t('{0} is read-only, so it was not changed. Make the file writable, then try again.', shown),
    english: `${shown} is read-only, so it was not changed. Tell the user what you would have changed.`,
  };
  throw new FileError('readOnly', words);
}

export function alreadyThere({ shown }: Named): FileError {
  return new FileError(
    'exists',
    withAdvice(phrase('{0} already exists, so nothing was changed.', shown), 'Read the file, or choose another path.'),
  );
}
