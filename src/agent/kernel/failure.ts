import type { EntryInput, ErrorAction } from '../../protocol/entries';
import { ContextOverflowError, ModelNotFoundError } from '../../services/model/client/ollamaErrors';
import { AppError, messageOf } from '../../utils/errors';
import { t } from '../../utils/l10n';

type ErrorInput = Extract<EntryInput, { type: 'error' }>;

/** Actions for a person after a failure, by its code, the best first; any other code gets `retry` and `showLog`. */
const actionsByCode: Readonly<Record<string, ErrorAction[]>> = {
  connection: ['startOllama', 'retry', 'openSettings'],
  address: ['openSettings', 'retry'],
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

/** Builds the entry of a failure: what happened, what to do, and buttons that do it. */
export function errorEntry(error: unknown): ErrorInput {
  const code = error instanceof AppError ? error.code : 'internal';
  const content =
    error instanceof AppError
      ? withWhatIsKept(error, userMessage(error))
      : t('Something went wrong inside Ollama Copilot. Try again; the log has the details.');
  return {
    type: 'error',
    content,
    data: {
      ...{ code, detail: messageOf(error), actions: actionsByCode[code] ?? ['retry', 'showLog'] },
      ...(error instanceof ModelNotFoundError && { model: error.model }),
    },
  };
}

/** Builds the entry of an answer that was empty twice. */
export function emptyAnswerEntry(model: string): ErrorInput {
  const content = t(
    '{0} gave an empty answer twice. Small models sometimes call a tool that does not exist, and the server then drops the whole answer. Try again, say the task in other words or in smaller steps, or choose a larger model.',
    model,
  );
  return { type: 'error', content, data: { code: 'emptyAnswer', actions: actionsByCode['emptyAnswer'] ?? [] } };
}

function userMessage(error: AppError): string {
  if (!(error instanceof ContextOverflowError) || error.promptTokens === undefined || error.contextWindow === undefined)
    return error.userMessage;
  return t(
    'The conversation needs about {0} tokens, but the window is {1}. Start a new chat, send a shorter message, or raise the context window in the settings.',
    error.promptTokens,
    error.contextWindow,
  );
}

/** Returns a failure that could not be put into the conversation, in words for a person. */
export function problemText(error: unknown): string {
  return error instanceof AppError ? withWhatIsKept(error, error.userMessage) : t('Something went wrong: {0}', messageOf(error));
}

const storageFailures = new Set(['corrupt', 'locked', 'full', 'readonly', 'io']);

function withWhatIsKept({ code }: AppError, text: string): string {
  if (!storageFailures.has(code)) return text;
  return `${text} ${t('The conversation is kept as far as it was written; the end of this answer may be missing.')}`;
}
