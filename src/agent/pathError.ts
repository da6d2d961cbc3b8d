import { AppError } from '../utils/errors';

export type PathErrorReason = 'invalid' | 'outside' | 'noFolder';

/** A path that a tool must not use. The user message is written for the model as well. */
export class PathError extends AppError {
  readonly code = 'path';

  constructor(
    readonly reason: PathErrorReason,
    userMessage: string,
  ) {
    super(`${reason}: ${userMessage}`, userMessage);
  }
}
