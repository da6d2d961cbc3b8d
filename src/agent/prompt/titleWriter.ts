import type { Settings } from '../../config/settings';
import type { Entry, EntryOf } from '../../protocol/entries';
import { requestOptions } from '../../services/model/context/requestOptions';
import type { ServerArbiter } from '../../services/model/serverArbiter';
import { isCloudModel, type ModelInfo } from '../../types/model';
import { findModel } from '../../types/modelNames';
import { isMode } from '../../types/modes';
import type { ChatRequest } from '../../types/ollama';
import type { Disposable } from '../../utils/disposable';
import { isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { hasAgreed } from '../approvals/cloudConsent';
import type { ChatClient, LogStore, ModelSource, SessionStore } from '../kernel/ports';
import { nextRequest, type NextRequestSources } from './nextRequest';
import { completionMark } from './promptBuilder';
import type { RequestBuilder } from './requestBuilder';
import { isTitleOf, maxTitleLength } from './sessionTitle';

export interface TitleSources extends NextRequestSources {
  client: Pick<ChatClient, 'chat'>;
  models: Pick<ModelSource, 'get'>;
  arbiter: Pick<ServerArbiter, 'mustWait' | 'nextChatSignal'>;
  requests: Pick<RequestBuilder, 'windowFor' | 'build'>;
  sessions: Pick<SessionStore, 'get' | 'update'>;
  log: Pick<LogStore, 'read'>;
  settings: Pick<Settings, 'getAgentConfig'>;
  logger: Logger;
}

interface AnsweredChat {
  sessionId: string;
  entries: readonly Entry[];
  first: EntryOf<'user_input'>;
  answer: EntryOf<'assistant_output'>;
}

/** Characters of the message, and of its answer, that are sent to the model. */
const shown = 1500;
/** Maximum tokens of the title. */
const longest = 40;

/** Instruction for the model. It also identifies a request for a title. */
export const titleInstruction =
  'Write a title of at most six words for this conversation, in its language. Answer with the title alone.';

/**
 * Has a model write the title of a chat after its first answer, if the setting
 * is on. A new run cancels the writing. Never replaces a title that the user wrote.
 */
export class TitleWriter implements Disposable {
  private readonly running = new Set<string>();
  private writing: AbortController | undefined;

  constructor(private readonly sources: TitleSources) {}

  /** Reacts to the start and end of runs. */
  follow({ sessionId, state }: { sessionId: string; state: string }): void {
    if (state !== 'idle') {
      this.running.add(sessionId);
      return;
    }
    const { arbiter, settings } = this.sources;
    const wasRunning = this.running.delete(sessionId);
    if (!wasRunning || arbiter.mustWait('title') || !settings.getAgentConfig().sessionTitleGeneration) return;
    this.writing?.abort();
    const writing = (this.writing = new AbortController());
    this.name(sessionId, AbortSignal.any([writing.signal, arbiter.nextChatSignal])).catch((error: unknown) => {
      if (!isCancelled(error)) this.sources.logger.warn('A title could not be written', error);
    });
  }

  dispose(): void {
    this.writing?.abort();
  }

  private async name(sessionId: string, signal: AbortSignal): Promise<void> {
    const { sessions, log } = this.sources;
    const { entries } = await log.read(sessionId, 0);
    const messages = entries.filter((entry) => entry.type === 'user_input');
    const answer = entries.findLast(
      (entry): entry is EntryOf<'assistant_output'> => entry.type === 'assistant_output' && entry.content.trim() !== '',
    );
    const [first] = messages;
    if (first === undefined || messages.length > 1 || answer === undefined) return;
    const message = { text: first.content, attachments: first.data.attachments };
    const isOurs = async () => isTitleOf((await sessions.get(sessionId))?.title ?? '', message);
    if (!(await isOurs())) return;
    const text = await this.write({ sessionId, entries, first, answer }, signal);
    const title = cleanTitle(text);
    if (title !== null && !signal.aborted && (await isOurs())) await sessions.update(sessionId, { title });
  }

  /** Resolves with the model's text. Resolves with an empty text if the model may not be used. */
  private async write(chat: AnsweredChat, signal: AbortSignal): Promise<string> {
    const { client, models, settings } = this.sources;
    const { sessionTitleModel } = settings.getAgentConfig();
    const { entries, answer } = chat;
    const used = answer.model ?? '';
    const name = sessionTitleModel === '' ? used : sessionTitleModel;
    if (name === '') return '';
    const model = await models.get(name, signal);
    if (!model.capabilities.chat) return '';
    // Cloud models cost money, so they are used only if the setting names them and the user has agreed.
    if (isCloudModel(model.name) && (sessionTitleModel === '' || !hasAgreed(model.name, entries))) return '';
    const isOfChat = findModel([model], used) !== undefined;
    const request = isOfChat && keepsStart(model) ? await this.inChat(chat, model) : await this.alone(chat, model);
    request.options = { ...request.options, num_predict: longest, temperature: 0 };
    if (model.capabilities.thinking) request.think = false;
    let text = '';
    for await (const { message } of client.chat(request, { signal })) text += message.content;
    return text;
  }

  /**
   * Builds a request that adds the instruction after the conversation. The conversation
   * stays in the prompt cache, so that the next message of the chat can reuse it.
   */
  private inChat({ sessionId, entries, first }: AnsweredChat, model: ModelInfo): Promise<ChatRequest> {
    const { mode } = first.data;
    const chat = { sessionId, mode: isMode(mode) ? mode : 'ask', model: model.name, entries };
    return nextRequest(this.sources, chat, model, { text: `${titleInstruction} Call no tools.` });
  }

  private async alone({ first, answer }: AnsweredChat, model: ModelInfo): Promise<ChatRequest> {
    const { requests, settings } = this.sources;
    return {
      model: model.name,
      messages: [
        { role: 'system', content: titleInstruction },
        { role: 'user', content: `${first.content.slice(0, shown)}\n\n${answer.content.slice(0, shown)}` },
      ],
      options: requestOptions(model, await requests.windowFor(model)),
      keep_alive: settings.getAgentConfig().keepAlive,
      truncate: false,
      shift: false,
    };
  }
}

/** Model families whose templates write the thinking level at the start of the prompt, which a title must not change. */
const startsWithThinking = /gpt-?oss|glm/i;

function keepsStart({ name, family, capabilities }: ModelInfo): boolean {
  return !capabilities.thinking || !startsWithThinking.test(`${family ?? ''} ${name}`);
}

/** Extracts the title from the model's text, without thinking, quotes and markup. Returns null if there is none. */
export function cleanTitle(text: string): string | null {
  const spoken = text
    .replace(/^[\s\S]*<\/think>/, '')
    .replace(/<think>[\s\S]*$/, '')
    .replace(completionMark, '');
  // The model wrote a call instead of a title.
  if (/^\s*[{<[]/.test(spoken)) return null;
  const line = spoken.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  const title = line
    .replace(/^\s*(?:#+\s*|[*_]+)?(?:(?:title|titel)\s*:)?\s*/iu, '')
    .replaceAll(/[*_`]/g, '')
    .replace(/^["'“„«\s]+|["'”“»\s.]+$/gu, '')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '');
  return title === '' || [...title].length > maxTitleLength ? null : title;
}
