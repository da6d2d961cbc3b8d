import { AppError } from '../utils/errors';

export type AgentErrorCode =
  | 'sessionBusy'
  | 'sessionElsewhere'
  | 'sessionNotFound'
  | 'nothingToAnswer'
  | 'messageGone'
  | 'approvalGone'
  | 'reviewGone'
  | 'noModel'
  | 'noFolder'
  | 'capability'
  | 'disposed';

/** What a person asked of the agent cannot be done right now. */
export class AgentError extends AppError {
  constructor(
    readonly code: AgentErrorCode,
    userMessage: string,
  ) {
    super(`${code}: ${userMessage}`, userMessage);
  }
}
