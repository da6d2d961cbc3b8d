import { AppError } from '../../utils/errors';
import type { Phrase } from '../../utils/l10n';

export type AgentErrorCode =
  | 'sessionBusy'
  | 'sessionElsewhere'
  | 'sessionNotFound'
  | 'nothingToAnswer'
  | 'messageGone'
  | 'approvalGone'
  | 'nothingToEdit'
  | 'noModel'
  | 'capability'
  | 'cloudDeclined'
  | 'disposed';

/** Thrown if the agent cannot do right now what a person asked for. */
export class AgentError extends AppError {
  constructor(
    readonly code: AgentErrorCode,
    words: string | Phrase,
  ) {
    super(`${code}: ${typeof words === 'string' ? words : words.english}`, words);
  }
}
