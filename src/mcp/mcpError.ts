import { AppError } from '../utils/errors';
import { phrase, type Phrase } from '../utils/l10n';
import type { SignInChallenge } from './auth/storedSignIn';

/** Failure of a server that somebody else has written: it ends the call that met it, and nothing else. */
export class McpError extends AppError {
  constructor(
    readonly code: 'variable' | 'start' | 'ended' | 'call' | 'denied' | 'signIn',
    words: Phrase,
    options?: { cause?: unknown },
  ) {
    super(words.english, words, options);
  }
}

/** Refusal of a server that a person has to sign in to. */
export class SignInNeededError extends McpError {
  constructor(readonly challenge: SignInChallenge) {
    super('signIn', phrase('It wants you to sign in: press Sign in… on the settings page, under Tools.'));
  }
}
