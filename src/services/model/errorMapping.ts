import { messageOf } from '../../utils/errors';
import {
  AddressError,
  AuthError,
  CapabilityError,
  ConnectionError,
  ContextOverflowError,
  ModelLoadError,
  ModelNotFoundError,
  OllamaError,
  ServerBusyError,
  StreamError,
  type OllamaErrorDetails,
} from './ollamaErrors';
import { parseErrorBody, type ErrorBody } from './errorBody';

/** What a failed request was about, for the words of its error. */
export interface RequestSubject {
  /** The server's address as people know it. */
  address: string;
  model?: string | undefined;
}

/** The error for an answer that is no success: by status first, by text second. `body` is the answer's text. */
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
        'The limit of requests is reached for now. Wait a little, then try again.',
        details,
      );
    case 503:
      return new ServerBusyError(logText(status, parsed), 'Ollama is busy with other requests. Try again in a moment.', details);
  }
  const known = parsed && errorFromText(parsed, subject, details);
  if (known) return known;
  if (parsed)
    return loadError(parsed.text, subject, details) ?? new OllamaError(logText(status, parsed), quoted(parsed.text), details);
  return status >= 500
    ? new OllamaError(
        `HTTP ${status} without Ollama’s error text`,
        `The server at ${subject.address} failed (HTTP ${status}). If a proxy stands before Ollama, see that Ollama runs behind it.`,
        details,
      )
    : notOllamaError(`HTTP ${status} without Ollama’s error text`, subject.address, details);
}

/** The error for an `error` field in a stream whose status was 200. `error` is that field, of whatever type. */
export function errorFromLine(error: unknown, subject: RequestSubject): OllamaError {
  const parsed = parseErrorBody(JSON.stringify({ error })) ?? { text: '' };
  const known = errorFromText(parsed, subject, {});
  if (known) return known;
  if (parsed.text === 'unauthorized') return authError(parsed, subject, {});
  if (parsed.text.startsWith('server busy')) {
    return new ServerBusyError(parsed.text, 'Ollama is busy with other requests. Try again in a moment.');
  }
  const userMessage = loadError(parsed.text, subject, {})?.userMessage ?? quoted(parsed.text);
  return new StreamError(`Error line: ${parsed.text}`, 'server', { userMessage });
}

/** Something answers, but in a way Ollama never does. */
export function notOllamaError(message: string, address: string, details: OllamaErrorDetails = {}): OllamaError {
  return new AddressError(message, `${address} answered, but not as Ollama does. Check the address in the settings.`, details);
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_/;

/** The error for a connection that could not be made, or that ended before the first byte of the answer. */
export function errorFromConnection(cause: unknown, address: string): OllamaError {
  const code = codeOf(cause);
  if (code.startsWith('HPE_')) return notOllamaError(`Not HTTP: ${code}`, address, { cause });
  const message = `Cannot reach ${address}: ${code || messageOf(cause)}`;
  const orElse = 'or change the address in the settings.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new ConnectionError(message, `The host of ${address} cannot be found. See that you are online, ${orElse}`, { cause });
  }
  if (certificateCodes.test(code)) {
    return new ConnectionError(message, `The certificate of ${address} is not trusted. Have it trusted, ${orElse}`, { cause });
  }
  if (code === 'EPROTO') {
    return new ConnectionError(message, `${address} does not speak https. Write http:// in the address in the settings.`, {
      cause,
    });
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const userMessage = `Ollama at ${address} closed the connection without an answer. See that it is running, then try again.`;
    return new ConnectionError(message, userMessage, { cause });
  }
  return new ConnectionError(message, `Ollama does not answer at ${address}. Start Ollama, ${orElse}`, { cause });
}

/** The `code` of a system error, or of the first one inside an AggregateError; else empty. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
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
  const missing = modelMissingText.exec(text);
  if (missing) {
    const model = subject.model ?? missing[1] ?? '';
    return text.startsWith('pull ')
      ? new ModelNotFoundError(model, { ...details, userMessage: `There is no model “${model}” to install. Check its name.` })
      : new ModelNotFoundError(model, details);
  }
  const capability = missingCapability(text);
  if (capability !== undefined) {
    const model = subject.model === undefined ? 'The model' : `The model “${subject.model}”`;
    const userMessage = `${model} cannot ${abilities[capability] ?? 'do that'}. Choose another model.`;
    return new CapabilityError(text, userMessage, { ...details, capability });
  }
  return undefined;
}

const abilities: Record<string, string> = {
  chat: 'chat',
  generate: 'write text',
  thinking: 'think before it answers',
  tools: 'use tools',
  insert: 'complete code in the middle of a file',
  vision: 'look at images',
  embeddings: 'make embeddings',
};

function missingCapability(text: string): string | undefined {
  if (/missing data required for image input/i.test(text)) return 'vision';
  const named = capabilityText.exec(text)?.[1]?.toLowerCase();
  if (named?.startsWith('embed')) return 'embeddings';
  return named?.startsWith('image') ? 'vision' : named;
}

function authError(body: ErrorBody | undefined, subject: RequestSubject, details: OllamaErrorDetails): AuthError {
  const signInUrl = body?.signInUrl;
  const isCloud = signInUrl !== undefined || /[:-]cloud$/i.test(subject.model ?? '');
  return new AuthError(
    `HTTP ${details.statusCode ?? 200}: not authorized`,
    isCloud
      ? 'This model runs on ollama.com, and your Ollama server is not signed in there. Run “ollama signin” where Ollama runs, then try again.'
      : `The server at ${subject.address} did not accept the bearer token, or needs one. Set the bearer token, then try again.`,
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
      `Ollama does not accept requests under the name in ${subject.address}. Use its IP address in the settings, or set OLLAMA_HOST=0.0.0.0 where Ollama runs.`,
      details,
    );
  }
  if (parsed && /cloud is disabled/i.test(parsed.text)) {
    return new CapabilityError(
      logText(403, parsed),
      'This model runs on ollama.com, and your Ollama server has that switched off. Choose another model.',
      { ...details, capability: 'cloud' },
    );
  }
  return new AuthError(
    'HTTP 403: access denied',
    `The server at ${subject.address} denies access. Check the bearer token and the address.`,
    details,
  );
}

function loadError(text: string, subject: RequestSubject, details: OllamaErrorDetails): ModelLoadError | undefined {
  const model = subject.model === undefined ? 'the model' : `the model “${subject.model}”`;
  const error = (userMessage: string, mayPass: boolean) => new ModelLoadError(text, userMessage, mayPass, details);
  if (/requires more system memory|out of memory|unable to allocate|insufficient memory/i.test(text)) {
    const advice = 'Choose a smaller model, or lower the context window in the settings.';
    // Another model may be unloaded meanwhile.
    return error(`There is not enough memory for ${model}. ${advice}`, true);
  }
  if (/process has terminated|unexpectedly stopped|no longer running/i.test(text)) {
    const advice = 'Try again; if it happens again, choose a smaller model or lower the context window.';
    return error(`Ollama could not keep ${model} running. ${advice}`, true);
  }
  if (/timed out waiting for/i.test(text))
    return error(`Ollama took too long to load ${model}. Try again, or choose a smaller model.`, false);
  return undefined;
}

function quoted(text: string): string {
  const short = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return `Ollama reported an error: “${short}”. Try again; if it happens again, look into Ollama’s log.`;
}

function logText(status: number, body: ErrorBody | undefined): string {
  return `HTTP ${status}: ${body?.text ?? 'no text'}`;
}
