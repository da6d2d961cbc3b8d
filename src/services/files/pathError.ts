import { AppError } from '../../utils/errors';
import type { Phrase } from '../../utils/l10n';

export type PathErrorReason = 'invalid' | 'outside' | 'noFolder' | 'ownDatabase' | 'closed';

/** Thrown for a path that a tool must not use. The message may be shown to the model and the user. */
export class PathError extends AppError {
  readonly code = 'path';

  constructor(
    readonly reason: PathErrorReason,
    words: Phrase,
  ) {
    super(`${reason}: ${words.english}`, words);
  }
}
