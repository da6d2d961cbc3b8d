import { isCloudModel } from '../../../types/model';
import { messageOf } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import {
  AddressError,
  AuthError,
  CapabilityError,
  ConnectionError,
  NoAnswerError,
  ContextOverflowError,
  ModelLoadError,
  ModelNotFoundError,
  OllamaError,
  ServerBusyError,
  StreamError,
  UnreadableCallError,
  type OllamaErrorDetails,
} from './ollamaErrors';
import { parseErrorBody, type ErrorBody } from './errorBody';
import { isBareParserError, isParserError } from './parserErrors';
import { cutHead } from '../../../types/cutText';

export interface RequestSubject {
  /** Server address as displayed. */
  address: string;
  model?: string | undefined;
  /** True if the request contained tools. */
  hasTools?: boolean;
}

/** Maps an error response to an error. Checks the status first, then the text. `body` is the response text. */
export function errorFromResponse(status: number, body: string, subject: RequestSubject): OllamaError {
  const parsed = parseErrorBody(body);
  const details = { statusCode: status };
  switch (status) {
    case 401:
      return authError(parsed, subject, details);
    case 403:
      return forbiddenError(body, parsed, subject, details);
    case 429:
      return new ServerBusyError(
        logText(status, parsed),
        t('The request limit is reached. Wait a moment, then try again.'),
        details,
      );
    case 503:
      return new ServerBusyError(logText(status, parsed), busyText(), details);
  }
  const known = parsed && errorFromText(parsed, subject, details);
  if (known) return known;
  if (parsed)
    return loadError(parsed.text, subject, details) ?? new OllamaError(logText(status, parsed), quoted(parsed.text), details);
  return status >= 500
    ? new OllamaError(
        `HTTP ${status} without Ollama’s error text`,
        t(
          'The server at {0} failed (HTTP {1}). If you use a proxy, check that Ollama is running behind it.',
          subject.address,
          String(status),
        ),
        details,
      )
    : notOllamaError(`HTTP ${status} without Ollama’s error text`, subject.address, details);
}

/** Maps an `error` field in a stream with status 200. `error` may have any type. */
export function errorFromLine(error: unknown, subject: RequestSubject): OllamaError {
  const parsed = parseErrorBody(JSON.stringify({ error })) ?? { text: JSON.stringify(error) };
  const known = errorFromText(parsed, subject, {});
  if (known) return known;
  if (subject.hasTools === true && isBareParserError(parsed.text)) return unreadableCall(parsed.text, {});
  if (parsed.text === 'unauthorized') return authError(parsed, subject, {});
  if (parsed.text.startsWith('server busy')) {
    return new ServerBusyError(parsed.text, busyText());
  }
  const userMessage = loadError(parsed.text, subject, {})?.userMessage ?? quoted(parsed.text);
  return new StreamError(`Error line: ${parsed.text}`, 'server', { userMessage });
}

/** Creates the error for a response that Ollama never sends. */
export function notOllamaError(message: string, address: string, details: OllamaErrorDetails = {}): OllamaError {
  return new AddressError(message, t('The server at {0} is not an Ollama server. Check the server address.', address), details);
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_/;

/** Maps the failure of a connection that could not be opened, or that ended before the first byte of the response. */
export function errorFromConnection(cause: unknown, address: string): OllamaError {
  const code = findErrorCode(cause);
  if (code.startsWith('HPE_')) return notOllamaError(`Not HTTP: ${code}`, address, { cause });
  const message = `Cannot reach ${address}: ${code || messageOf(cause)}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const text = t(
      'The host name in {0} could not be resolved. Check that you are online, or change the server address.',
      address,
    );
    return new ConnectionError(message, text, { cause });
  }
  if (certificateCodes.test(code)) {
    const text = t(
      'The certificate of {0} is not trusted. Add it to the trusted certificates, or change the server address.',
      address,
    );
    return new ConnectionError(message, text, { cause });
  }
  if (code === 'EPROTO') {
    const text = t('{0} does not support HTTPS. Use http:// in the server address.', address);
    return new ConnectionError(message, text, { cause });
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const text = t(
      'Ollama at {0} closed the connection without a response. Check that Ollama is running, then try again.',
      address,
    );
    return new ConnectionError(message, text, { cause });
  }
  const text = t('Ollama does not respond at {0}. Start Ollama, or change the server address.', address);
  return new NoAnswerError(message, text, { cause });
}

/**
 * Returns the `code` of a system error or of the first error in an `AggregateError`. Returns an empty string if there is none.
 */
export function findErrorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? findErrorCode(error.errors[0]) : '';
}

const overflowText =
  /exceed_context_size_error|exceeds? (?:the |the model's )?(?:available |maximum )?context (?:size|length)|longer than the context length/i;
const capabilityText = /does not support (chat|generate|thinking|tools|insert|embed\w*|vision|images?)\b/i;
const modelMissingText =
  /^model ['"](.*?)['"] not found|^model not found|^model is required|^unqualified name|manifest: file does not exist/i;

function errorFromText(body: ErrorBody, subject: RequestSubject, details: OllamaErrorDetails): OllamaError | undefined {
  const { text } = body;
  if (body.type === 'exceed_context_size_error' || overflowText.test(text)) {
    const [prompt, window] = [...text.matchAll(/\((\d+) tokens\)/g)].map((match) => Number(match[1]));
    return new ContextOverflowError(text, {
      ...details,
      promptTokens: body.promptTokens ?? prompt,
      contextWindow: body.contextWindow ?? window,
    });
  }
  if (subject.hasTools === true && isParserError(text)) return unreadableCall(text, details);
  const missing = modelMissingText.exec(text);
  if (missing) {
    const model = subject.model ?? missing[1] ?? '';
    return text.startsWith('pull ')
      ? new ModelNotFoundError(model, {
          ...details,
          userMessage: t('The model “{0}” was not found. Check the name.', model),
        })
      : new ModelNotFoundError(model, details);
  }
  const capability = missingCapability(text);
  if (capability !== undefined) {
    return new CapabilityError(text, inabilityText(capability, subject.model), { ...details, capability });
  }
  return undefined;
}

function unreadableCall(text: string, details: OllamaErrorDetails): UnreadableCallError {
  return new UnreadableCallError(`Unreadable call: ${text}`, text, details);
}

const inabilities: Readonly<Record<string, string>> = {
  chat: 'The model “{0}” does not support chat. Choose another model.',
  generate: 'The model “{0}” cannot generate text. Choose another model.',
  thinking: 'The model “{0}” does not support thinking. Choose another model.',
  tools: 'The model “{0}” cannot use tools. Choose another model.',
  insert: 'The model “{0}” does not support fill-in-the-middle (FIM). Choose another model.',
  vision: 'The model “{0}” cannot read images. Choose another model.',
  embeddings: 'The model “{0}” cannot create embeddings. Choose another model.',
};

function inabilityText(capability: string, model: string | undefined): string {
  if (model === undefined) return t('The model does not support this request. Choose another model.');
  return t(inabilities[capability] ?? 'The model “{0}” does not support this request. Choose another model.', model);
}

function missingCapability(text: string): string | undefined {
  if (/missing data required for image input/i.test(text)) return 'vision';
  const named = capabilityText.exec(text)?.[1]?.toLowerCase();
  if (named?.startsWith('embed')) return 'embeddings';
  return named?.startsWith('image') ? 'vision' : named;
}

function authError(body: ErrorBody | undefined, subject: RequestSubject, details: OllamaErrorDetails): AuthError {
  const signInUrl = body?.signInUrl;
  const isCloud = signInUrl !== undefined || isCloudModel(subject.model ?? '');
  return new AuthError(
    `HTTP ${details.statusCode ?? 200}: not authorized`,
    isCloud
      ? t(
          'This model runs on ollama.com, but your Ollama server is not signed in. Run “ollama signin” on the server, then try again.',
        )
      : t('The server at {0} requires a valid access token. Set the access token, then try again.', subject.address),
    { ...details, code: isCloud ? 'signIn' : 'auth', signInUrl },
  );
}

function forbiddenError(
  body: string,
  parsed: ErrorBody | undefined,
  subject: RequestSubject,
  details: OllamaErrorDetails,
): OllamaError {
  if (body.trim() === '') {
    return new AddressError(
      'HTTP 403 without a text: the guard for Host or Origin',
      t(
        'Ollama rejects requests to the host name in {0}. Use the IP address in the settings, or set OLLAMA_HOST=0.0.0.0 on the server.',
        subject.address,
      ),
      details,
    );
  }
  if (parsed && /cloud is disabled/i.test(parsed.text)) {
    return new CapabilityError(
      logText(403, parsed),
      t('This model runs on ollama.com, but your Ollama server has cloud models disabled. Choose another model.'),
      { ...details, capability: 'cloud' },
    );
  }
  return new AuthError(
    'HTTP 403: access denied',
    t('The server at {0} denied access. Check the access token and the address.', subject.address),
    details,
  );
}

function loadError(text: string, subject: RequestSubject, details: OllamaErrorDetails): ModelLoadError | undefined {
  const { model } = subject;
  const error = (userMessage: string, mayPass: boolean) => new ModelLoadError(text, userMessage, mayPass, details);
  if (/requires more system memory|out of memory|unable to allocate|insufficient memory/i.test(text)) {
    const words =
      model === undefined
        ? t('There is not enough memory for the model. Choose a smaller model, or reduce the context window in the settings.')
        : t(
            'There is not enough memory for the model “{0}”. Choose a smaller model, or reduce the context window in the settings.',
            model,
          );
    // A retry may succeed, because the server may unload another model.
    return error(words, true);
  }
  if (/process has terminated|unexpectedly stopped|no longer running/i.test(text)) {
    const words =
      model === undefined
        ? t(
            'The model stopped unexpectedly. Try again. If the problem persists, choose a smaller model or reduce the context window.',
          )
        : t(
            'The model “{0}” stopped unexpectedly. Try again. If the problem persists, choose a smaller model or reduce the context window.',
            model,
          );
    return error(words, true);
  }
  if (/timed out waiting for/i.test(text)) {
    const words =
      model === undefined
        ? t('Loading the model took too long. Try again, or choose a smaller model.')
        : t('Loading the model “{0}” took too long. Try again, or choose a smaller model.', model);
    return error(words, false);
  }
  return undefined;
}

function quoted(text: string): string {
  const short = text.length > 300 ? `${cutHead(text, 300)}…` : text;
  return t('Ollama reported an error: “{0}”. Try again. If the problem persists, check the Ollama log.', short);
}

function busyText(): string {
  return t('Ollama is busy with other requests. Try again in a moment.');
}

function logText(status: number, body: ErrorBody | undefined): string {
  return `HTTP ${status}: ${body?.text ?? 'no text'}`;
}
