import type { EntryInput, ErrorAction } from '../../protocol/entries';
import { ContextOverflowError, ModelNotFoundError } from '../../services/model/client/ollamaErrors';
import { AppError, messageOf } from '../../utils/errors';
import { t } from '../../utils/l10n';

type ErrorInput = Extract<EntryInput, { type: 'error' }>;

/** Actions offered after a failure, by error code, with the best one first. All other codes offer `retry` and `showLog`. */
const actionsByCode: Readonly<Record<string, ErrorAction[]>> = {
  connection: ['startOllama', 'retry', 'openSettings'],
  address: ['openSettings', 'retry'],
  localOnly: ['selectModel', 'openSettings', 'retry'],
  auth: ['setToken', 'retry'],
  signIn: ['retry', 'selectModel'],
  modelNotFound: ['pullModel', 'selectModel', 'retry'],
  modelLoad: ['selectModel', 'retry'],
  noModel: ['selectModel', 'retry'],
  capability: ['selectModel', 'retry'],
  nothingToEdit: [],
  answerLimit: ['retry', 'retryLarger', 'stop'],
  cloudDeclined: ['selectModel', 'retry'],
  contextOverflow: ['newSession', 'openSettings'],
  serverBusy: ['retry'],
  unreadableCall: ['retry', 'selectModel'],
  stream: ['retry'],
  emptyAnswer: ['retry', 'selectModel'],
};

/** Returns the log entry of a failure, with its message and actions. */
export function errorEntry(error: unknown): ErrorInput {
  const code = error instanceof AppError ? error.code : 'internal';
  const content =
    error instanceof AppError
      ? withKeptNote(error, userMessage(error))
      : t('Something went wrong in Ollama Copilot. Try again. For details, see the log.');
  return {
    type: 'error',
    content,
    data: {
      code,
      detail: messageOf(error),
      actions: actionsByCode[code] ?? ['retry', 'showLog'],
      ...(error instanceof ModelNotFoundError && { model: error.model }),
    },
  };
}

export function emptyAnswerEntry(model: string): ErrorInput {
  const content = t(
    '{0} returned an empty answer twice. Small models sometimes call a tool that does not exist, and the server then discards the answer. Rephrase the task or split it up, or choose a larger model.',
    model,
  );
  return { type: 'error', content, data: { code: 'emptyAnswer', actions: actionsByCode['emptyAnswer'] ?? [] } };
}

function userMessage(error: AppError): string {
  if (!(error instanceof ContextOverflowError) || error.promptTokens === undefined || error.contextWindow === undefined)
    return error.userMessage;
  return t(
    'This chat needs about {0} tokens, but the context window is {1}. Start a new chat, send a shorter message, or increase the context window in the settings.',
    error.promptTokens,
    error.contextWindow,
  );
}

/** Returns the message of a failure that could not be logged. */
export function problemText(error: unknown): string {
  return error instanceof AppError ? withKeptNote(error, error.userMessage) : t('Something went wrong: {0}', messageOf(error));
}

const storageFailures = new Set(['corrupt', 'replaced', 'locked', 'full', 'readonly', 'io']);

function withKeptNote({ code }: AppError, text: string): string {
  if (!storageFailures.has(code)) return text;
  return `${text} ${t('Everything up to the failure is stored. The end of this answer may be missing.')}`;
}
