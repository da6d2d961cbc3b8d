import { AppError } from '../utils/errors';
import { phrase, type Phrase } from '../utils/l10n';
import type { SignInChallenge } from './auth/storedSignIn';

/** Failure of an MCP server. It ends only the current call. */
export class McpError extends AppError {
  constructor(
    readonly code: 'variable' | 'sandbox' | 'start' | 'ended' | 'call' | 'denied' | 'signIn',
    words: Phrase,
    options?: { cause?: unknown },
  ) {
    super(words.english, words, options);
  }
}

/** Error for a server that requires the user to sign in. */
export class SignInNeededError extends McpError {
  constructor(readonly challenge: SignInChallenge) {
    super('signIn', phrase('The server requires you to sign in. Open the settings, then select Sign in… under Tools.'));
  }
}
