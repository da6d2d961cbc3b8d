import { AppError } from '../../../utils/errors';
import { t } from '../../../utils/l10n';

export type OllamaErrorCode =
  | 'ollama'
  | 'connection'
  | 'address'
  | 'auth'
  | 'signIn'
  | 'modelNotFound'
  | 'modelLoad'
  | 'contextOverflow'
  | 'capability'
  | 'serverBusy'
  | 'unreadableCall'
  | 'stream';

export interface OllamaErrorDetails {
  /** The HTTP status, where there was one. */
  statusCode?: number | undefined;
  cause?: unknown;
}

/** Base of all errors between us and the Ollama server. */
export class OllamaError extends AppError {
  readonly code: OllamaErrorCode = 'ollama';
  readonly statusCode: number | undefined;

  constructor(message: string, userMessage: string, details: OllamaErrorDetails = {}) {
    super(message, userMessage, details.cause === undefined ? undefined : { cause: details.cause });
    this.statusCode = details.statusCode;
  }
}

/** Thrown if there is no answer at all: nothing listens, the name is unknown, or the connection ended before the first byte. */
export class ConnectionError extends OllamaError {
  override readonly code = 'connection';
}

/** Thrown if nothing listens at the address, as far as is known. */
export class NoAnswerError extends ConnectionError {}

/** Thrown if something answers at the address, but it is no Ollama, or one that refuses requests for this host name. */
export class AddressError extends OllamaError {
  override readonly code = 'address';
}

/** Thrown if the server has the model and could not load it, or keep it running. */
export class ModelLoadError extends OllamaError {
  override readonly code = 'modelLoad';

  constructor(
    message: string,
    userMessage: string,
    /** True if the same request may succeed another time. */
    readonly mayPass: boolean,
    details: OllamaErrorDetails = {},
  ) {
    super(message, userMessage, details);
  }
}

/** Thrown if the server or a proxy before it wants to know who asks: `auth` for a token, `signIn` for an account at ollama.com. */
export class AuthError extends OllamaError {
  override readonly code: 'auth' | 'signIn';
  /** Address where the person signs the server in, for models that run on ollama.com. */
  readonly signInUrl: string | undefined;

  constructor(
    message: string,
    userMessage: string,
    details: OllamaErrorDetails & { code?: 'auth' | 'signIn'; signInUrl?: string | undefined } = {},
  ) {
    super(message, userMessage, details);
    this.code = details.code ?? 'auth';
    this.signInUrl = details.signInUrl;
  }
}

export class ModelNotFoundError extends OllamaError {
  override readonly code = 'modelNotFound';

  constructor(
    readonly model: string,
    details: OllamaErrorDetails & { userMessage?: string } = {},
  ) {
    super(
      `model '${model}' not found`,
      details.userMessage ??
        (model === ''
          ? t('No model is selected. Choose a model.')
          : t('The model “{0}” is not installed on the Ollama server. Pull it, or choose another model.', model)),
      details,
    );
  }
}

/** Thrown if the prompt does not fit into the window; counts are tokens, absent if the server does not tell. */
export class ContextOverflowError extends OllamaError {
  override readonly code = 'contextOverflow';
  readonly promptTokens: number | undefined;
  readonly contextWindow: number | undefined;

  constructor(
    message: string,
    details: OllamaErrorDetails & { promptTokens?: number | undefined; contextWindow?: number | undefined } = {},
  ) {
    super(message, overflowMessage(details.promptTokens, details.contextWindow), details);
    this.promptTokens = details.promptTokens;
    this.contextWindow = details.contextWindow;
  }
}

/** Thrown if the model cannot do what the request needs. */
export class CapabilityError extends OllamaError {
  override readonly code = 'capability';
  /** The missing ability in Ollama's word: `tools`, `thinking`, `insert`, `chat`, `generate`, `embeddings`, `vision`. */
  readonly capability: string;

  constructor(message: string, userMessage: string, details: OllamaErrorDetails & { capability: string }) {
    super(message, userMessage, details);
    this.capability = details.capability;
  }
}

/** Thrown if the server has too much to do, or a limit of requests is reached. */
export class ServerBusyError extends OllamaError {
  override readonly code = 'serverBusy';
}

/**
 * `incomplete`: the answer ended without its last part. `disconnected`: the connection broke in the middle.
 * `malformed`: a line that is no JSON object or not of the expected form. `server`: the server reported an error in mid-answer.
 */
export type StreamErrorReason = 'incomplete' | 'disconnected' | 'malformed' | 'server';

const streamMessages: Record<StreamErrorReason, string> = {
  incomplete: 'The model’s answer broke off before its end. Try again.',
  disconnected: 'The connection to Ollama was lost in the middle of the answer. See that Ollama is running, then try again.',
  malformed: 'Ollama sent something that cannot be read. Try again; if it happens again, update Ollama.',
  server: 'Ollama reported an error in the middle of the answer. Try again.',
};

/** Thrown for an answer that began and did not come to its proper end. */
export class StreamError extends OllamaError {
  override readonly code = 'stream';

  constructor(
    message: string,
    readonly reason: StreamErrorReason,
    details: OllamaErrorDetails & { userMessage?: string } = {},
  ) {
    super(message, details.userMessage ?? t(streamMessages[reason]), details);
  }
}

/** Bytes of an answer, or of one line of a streamed one, beyond which nothing is read: it is held in memory. */
export const maxAnswerBytes = 64 * 1024 * 1024;

/** Returns the failure of an answer that is longer than that. */
export function tooLong(limit = maxAnswerBytes): StreamError {
  const size = limit / 1024 / 1024;
  const userMessage = t(
    'The server sent more than {0} MB in one piece, which no Ollama does, so the rest was not read. Check the address of the server in the settings.',
    size,
  );
  return new StreamError(`One piece of the answer has more than ${limit} bytes`, 'malformed', { userMessage });
}

/** Thrown if the model wrote a call of a tool that the server could not read, and the rest of the answer went with it. */
export class UnreadableCallError extends OllamaError {
  override readonly code = 'unreadableCall';

  /** True if the call ends too early, as it does where a limit has cut it. */
  get isCut(): boolean {
    return /unexpected end of JSON input/.test(this.problem);
  }

  constructor(
    message: string,
    /** Problem in the server's words. */
    readonly problem: string,
    details: OllamaErrorDetails = {},
  ) {
    super(
      message,
      t('The model wrote a call of a tool that Ollama could not read. Try again; if it happens again, choose another model.'),
      details,
    );
  }
}

function overflowMessage(promptTokens: number | undefined, contextWindow: number | undefined): string {
  return promptTokens === undefined || contextWindow === undefined
    ? t(
        'This conversation is too long for the model’s context window. Start a new chat, shorten the message, or raise the context window in the settings.',
      )
    : t(
        'This conversation is too long for the model’s context window ({0} tokens; there is room for {1}). Start a new chat, shorten the message, or raise the context window in the settings.',
        promptTokens,
        contextWindow,
      );
}
