import { AppError } from '../../../utils/errors';
import { phrase, t } from '../../../utils/l10n';
import { LocalOnlyError } from '../../network/localOnly';

export type OllamaErrorCode =
  | 'ollama'
  | 'connection'
  | 'address'
  | 'localOnly'
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
  /** HTTP status, if there was a response. */
  statusCode?: number | undefined;
  cause?: unknown;
}

export class OllamaError extends AppError {
  readonly code: OllamaErrorCode = 'ollama';
  readonly statusCode: number | undefined;

  constructor(message: string, userMessage: string, details: OllamaErrorDetails = {}) {
    super(message, userMessage, details.cause === undefined ? undefined : { cause: details.cause });
    this.statusCode = details.statusCode;
  }
}

/** No response, because no program listens, the host name is unknown, or the connection ended before the first byte. */
export class ConnectionError extends OllamaError {
  override readonly code = 'connection';
}

/** No program seems to listen at the address. */
export class NoAnswerError extends ConnectionError {}

/** The server at the address is not Ollama, or refuses requests for this host name. */
export class AddressError extends OllamaError {
  override readonly code = 'address';
}

/** The user allows local connections only, so nothing was sent. */
export class LocalOnlyRefusal extends OllamaError {
  override readonly code = 'localOnly';

  constructor(cause: LocalOnlyError) {
    super(cause.message, cause.userMessage, { cause });
  }

  /** Creates the error for a model that runs on Ollama's servers. */
  static forCloudModel(model: string): LocalOnlyRefusal {
    const words = phrase(
      'Nothing was sent, because only local connections are allowed and {0} runs on Ollama’s servers. Choose another model.',
      model,
    );
    return new LocalOnlyRefusal(new LocalOnlyError(words.english, words));
  }
}

/** The server could not load an installed model or keep it running. */
export class ModelLoadError extends OllamaError {
  override readonly code = 'modelLoad';

  constructor(
    message: string,
    userMessage: string,
    /** True if a retry may succeed. */
    readonly isTransient: boolean,
    details: OllamaErrorDetails = {},
  ) {
    super(message, userMessage, details);
  }
}

/** The server or a proxy requires authentication: `auth` for an access token, `signIn` for an ollama.com account. */
export class AuthError extends OllamaError {
  override readonly code: 'auth' | 'signIn';
  /** Page on which the user signs the server in to use ollama.com models. */
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

/** The prompt exceeds the context window. Counts are in tokens. They are undefined if the server does not report them. */
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

export class CapabilityError extends OllamaError {
  override readonly code = 'capability';
  /** Name of the missing capability in Ollama: `tools`, `thinking`, `insert`, `chat`, `generate`, `embeddings`, `vision`. */
  readonly capability: string;

  constructor(message: string, userMessage: string, details: OllamaErrorDetails & { capability: string }) {
    super(message, userMessage, details);
    this.capability = details.capability;
  }
}

/** The server is overloaded or a rate limit is reached. */
export class ServerBusyError extends OllamaError {
  override readonly code = 'serverBusy';
}

/**
 * Reason of a stream error. `incomplete`: the response ended without its last part.
 * `disconnected`: the connection broke. `malformed`: a line is too long or contains only
 * a part of a JSON object. `server`: the server reported an error during the response.
 */
export type StreamErrorReason = 'incomplete' | 'disconnected' | 'malformed' | 'server';

const streamMessages: Record<StreamErrorReason, string> = {
  incomplete: 'The model’s answer ended early. Try again.',
  disconnected: 'The connection to Ollama was lost during the answer. Check that Ollama is running, then try again.',
  malformed: 'Ollama sent an unreadable response. Try again. If the problem persists, update Ollama.',
  server: 'Ollama reported an error during the answer. Try again.',
};

/** A response that started but did not finish. */
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

/** Maximum size in bytes of a response or of one line of a stream. A limit is needed because the text is stored in memory. */
export const maxAnswerBytes = 64 * 1024 * 1024;

/** Creates the error for a response that exceeds the limit. */
export function tooLong(limit = maxAnswerBytes): StreamError {
  const size = limit / 1024 / 1024;
  const userMessage = t(
    'The server sent more than {0} MB in one message, which Ollama never does. The rest was not read. Check the server address in the settings.',
    size,
  );
  return new StreamError(`One piece of the answer has more than ${limit} bytes`, 'malformed', { userMessage });
}

/** The server could not parse the model's tool call. The rest of the response is lost. */
export class UnreadableCallError extends OllamaError {
  override readonly code = 'unreadableCall';

  /** True if the tool call was truncated, for example by a token limit. */
  get isCut(): boolean {
    return /unexpected (?:end of JSON input|EOF)/.test(this.problem);
  }

  constructor(
    message: string,
    /** Error text from the server. */
    readonly problem: string,
    details: OllamaErrorDetails = {},
  ) {
    super(
      message,
      t('Ollama could not read a tool call from the model. Try again. If the problem persists, choose another model.'),
      details,
    );
  }
}

function overflowMessage(promptTokens: number | undefined, contextWindow: number | undefined): string {
  return promptTokens === undefined || contextWindow === undefined
    ? t(
        'This chat is too long for the model’s context window. Start a new chat, shorten the message, or increase the context window in the settings.',
      )
    : t(
        'This chat needs {0} tokens, but the model’s context window is {1}. Start a new chat, shorten the message, or increase the context window in the settings.',
        promptTokens,
        contextWindow,
      );
}
