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

/** Subject of a failed request, for the words of its error. */
export interface RequestSubject {
  /** The server's address as people know it. */
  address: string;
  model?: string | undefined;
  /** True if the model was offered tools. */
  hasTools?: boolean;
}

/** Returns the error for an answer that is no success: by status first, by text second. `body` is the answer's text. */
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
        t('The limit of requests is reached for now. Wait a little, then try again.'),
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
          'The server at {0} failed (HTTP {1}). If a proxy stands before Ollama, see that Ollama runs behind it.',
          subject.address,
          String(status),
        ),
        details,
      )
    : notOllamaError(`HTTP ${status} without Ollama’s error text`, subject.address, details);
}

/** Returns the error for an `error` field in a stream whose status was 200. `error` is that field, of whatever type. */
export function errorFromLine(error: unknown, subject: RequestSubject): OllamaError {
  const parsed = parseErrorBody(JSON.stringify({ error })) ?? { text: '' };
  const known = errorFromText(parsed, subject, {});
  if (known) return known;
  if (subject.hasTools === true && unreadableJsonText.test(parsed.text)) return unreadableCall(parsed.text, {});
  if (parsed.text === 'unauthorized') return authError(parsed, subject, {});
  if (parsed.text.startsWith('server busy')) {
    return new ServerBusyError(parsed.text, busyText());
  }
  const userMessage = loadError(parsed.text, subject, {})?.userMessage ?? quoted(parsed.text);
  return new StreamError(`Error line: ${parsed.text}`, 'server', { userMessage });
}

/** Builds the error for an answer that Ollama never gives. */
export function notOllamaError(message: string, address: string, details: OllamaErrorDetails = {}): OllamaError {
  return new AddressError(
    message,
    t('{0} answered, but not as Ollama does. Check the address in the settings.', address),
    details,
  );
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_/;

/** Returns the error for a connection that could not be made, or that ended before the first byte of the answer. */
export function errorFromConnection(cause: unknown, address: string): OllamaError {
  const code = codeOf(cause);
  if (code.startsWith('HPE_')) return notOllamaError(`Not HTTP: ${code}`, address, { cause });
  const message = `Cannot reach ${address}: ${code || messageOf(cause)}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const text = t('The host of {0} cannot be found. See that you are online, or change the address in the settings.', address);
    return new ConnectionError(message, text, { cause });
  }
  if (certificateCodes.test(code)) {
    const text = t('The certificate of {0} is not trusted. Have it trusted, or change the address in the settings.', address);
    return new ConnectionError(message, text, { cause });
  }
  if (code === 'EPROTO') {
    const text = t('{0} does not speak https. Write http:// in the address in the settings.', address);
    return new ConnectionError(message, text, { cause });
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const text = t('Ollama at {0} closed the connection without an answer. See that it is running, then try again.', address);
    return new ConnectionError(message, text, { cause });
  }
  const text = t('Ollama does not answer at {0}. Start Ollama, or change the address in the settings.', address);
  return new NoAnswerError(message, text, { cause });
}

/** Returns the `code` of a system error, or of the first one inside an AggregateError; else empty. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}

const overflowText =
  /exceed_context_size_error|exceeds? (?:the |the model's )?(?:available |maximum )?context (?:size|length)|longer than the context length/i;
const capabilityText = /does not support (chat|generate|thinking|tools|insert|embed\w*|vision|images?)\b/i;
/** Words of the server's parsers and its engine (ollama/ollama#12884 and #14492, ggml-org/llama.cpp#20761). */
const unreadableCallText =
  /invalid tool call arguments|pars\w+ (?:model-generated )?tool.?calls?|failed to parse (?:json|input at pos)/i;
/** Words of Go's JSON parser, which some pass on alone in the middle of an answer (ollama/ollama#17647). */
const unreadableJsonText = /^(?:invalid character '|unexpected end of JSON input)/;
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
  if (subject.hasTools === true && unreadableCallText.test(text)) return unreadableCall(text, details);
  const missing = modelMissingText.exec(text);
  if (missing) {
    const model = subject.model ?? missing[1] ?? '';
    return text.startsWith('pull ')
      ? new ModelNotFoundError(model, {
          ...details,
          userMessage: t('There is no model “{0}” to install. Check its name.', model),
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
  chat: 'The model “{0}” cannot chat. Choose another model.',
  generate: 'The model “{0}” cannot write text. Choose another model.',
  thinking: 'The model “{0}” cannot think before it answers. Choose another model.',
  tools: 'The model “{0}” cannot use tools. Choose another model.',
  insert: 'The model “{0}” cannot complete code in the middle of a file. Choose another model.',
  vision: 'The model “{0}” cannot look at images. Choose another model.',
  embeddings: 'The model “{0}” cannot make embeddings. Choose another model.',
};

function inabilityText(capability: string, model: string | undefined): string {
  if (model === undefined) return t('The model cannot do what was asked of it. Choose another model.');
  return t(inabilities[capability] ?? 'The model “{0}” cannot do what was asked of it. Choose another model.', model);
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
          'This model runs on ollama.com, and your Ollama server is not signed in there. Run “ollama signin” where Ollama runs, then try again.',
        )
      : t(
          'The server at {0} did not accept the bearer token, or needs one. Set the bearer token, then try again.',
          subject.address,
        ),
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
        'Ollama does not accept requests under the name in {0}. Use its IP address in the settings, or set OLLAMA_HOST=0.0.0.0 where Ollama runs.',
        subject.address,
      ),
      details,
    );
  }
  if (parsed && /cloud is disabled/i.test(parsed.text)) {
    return new CapabilityError(
      logText(403, parsed),
      t('This model runs on ollama.com, and your Ollama server has that switched off. Choose another model.'),
      { ...details, capability: 'cloud' },
    );
  }
  return new AuthError(
    'HTTP 403: access denied',
    t('The server at {0} denies access. Check the bearer token and the address.', subject.address),
    details,
  );
}

function loadError(text: string, subject: RequestSubject, details: OllamaErrorDetails): ModelLoadError | undefined {
  const { model } = subject;
  const error = (userMessage: string, mayPass: boolean) => new ModelLoadError(text, userMessage, mayPass, details);
  if (/requires more system memory|out of memory|unable to allocate|insufficient memory/i.test(text)) {
    const words =
      model === undefined
        ? t('There is not enough memory for the model. Choose a smaller model, or lower the context window in the settings.')
        : t(
            'There is not enough memory for the model “{0}”. Choose a smaller model, or lower the context window in the settings.',
            model,
          );
    // Another model may be unloaded meanwhile.
    return error(words, true);
  }
  if (/process has terminated|unexpectedly stopped|no longer running/i.test(text)) {
    const words =
      model === undefined
        ? t(
            'Ollama could not keep the model running. Try again; if it happens again, choose a smaller model or lower the context window.',
          )
        : t(
            'Ollama could not keep the model “{0}” running. Try again; if it happens again, choose a smaller model or lower the context window.',
            model,
          );
    return error(words, true);
  }
  if (/timed out waiting for/i.test(text)) {
    const words =
      model === undefined
        ? t('Ollama took too long to load the model. Try again, or choose a smaller model.')
        : t('Ollama took too long to load the model “{0}”. Try again, or choose a smaller model.', model);
    return error(words, false);
  }
  return undefined;
}

function quoted(text: string): string {
  const short = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return t('Ollama reported an error: “{0}”. Try again; if it happens again, look into Ollama’s log.', short);
}

function busyText(): string {
  return t('Ollama is busy with other requests. Try again in a moment.');
}

function logText(status: number, body: ErrorBody | undefined): string {
  return `HTTP ${status}: ${body?.text ?? 'no text'}`;
}
