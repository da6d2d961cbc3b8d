import type { Settings } from '../../config/settings';
import type { Entry } from '../../protocol/entries';
import { requestOptions } from '../../services/model/context/requestOptions';
import type { ServerArbiter } from '../../services/model/serverArbiter';
import { isCloudModel } from '../../types/model';
import type { Disposable } from '../../utils/disposable';
import { isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { hasAgreed } from '../approvals/cloudConsent';
import type { ChatClient, LogStore, ModelSource, SessionStore } from '../kernel/ports';
import type { RequestBuilder } from './requestBuilder';
import { isTitleOf, maxTitleLength } from './sessionTitle';

export interface TitleSources {
  client: Pick<ChatClient, 'chat'>;
  models: Pick<ModelSource, 'get'>;
  arbiter: Pick<ServerArbiter, 'yields' | 'untilChat'>;
  requests: Pick<RequestBuilder, 'windowFor'>;
  sessions: Pick<SessionStore, 'get' | 'update'>;
  log: Pick<LogStore, 'read'>;
  settings: Pick<Settings, 'getAgentConfig'>;
  logger: Logger;
}

/** Characters of a message and of its answer that a model is shown, and tokens that it may write. */
const [shown, longest] = [1500, 40];

/**
 * Lets a model name a chat once its first message is answered, where the settings say so. Whatever begins to run ends it: nobody waits for a title.
 * A title that a person gave is left alone.
 */
export class TitleWriter implements Disposable {
  private readonly running = new Set<string>();
  private writing: AbortController | undefined;

  constructor(private readonly sources: TitleSources) {}

  /** Takes notice of a run that begins or is over. */
  follow({ sessionId, state }: { sessionId: string; state: string }): void {
    if (state !== 'idle') {
      this.running.add(sessionId);
      return;
    }
    const { arbiter, settings } = this.sources;
    const wasRunning = this.running.delete(sessionId);
    if (!wasRunning || arbiter.yields('title') || !settings.getAgentConfig().sessionTitleGeneration) return;
    this.writing?.abort();
    const writing = (this.writing = new AbortController());
    this.name(sessionId, AbortSignal.any([writing.signal, arbiter.untilChat])).catch((error: unknown) => {
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
    const answer = entries.findLast((entry) => entry.type === 'assistant_output' && entry.content.trim() !== '');
    const [first] = messages;
    if (first === undefined || messages.length > 1 || answer === undefined) return;
    const message = { text: first.content, attachments: first.data.attachments };
    const isOurs = async () => isTitleOf((await sessions.get(sessionId))?.title ?? '', message);
    if (!(await isOurs())) return;
    const text = await this.write(entries, `${first.content.slice(0, shown)}\n\n${answer.content.slice(0, shown)}`, signal);
    const title = cleanTitle(text);
    if (title !== null && !signal.aborted && (await isOurs())) await sessions.update(sessionId, { title });
  }

  /** Resolves with what the model has written; empty where it may not be asked. */
  private async write(entries: readonly Entry[], about: string, signal: AbortSignal): Promise<string> {
    const { client, models, requests, settings } = this.sources;
    const { sessionTitleModel, keepAlive } = settings.getAgentConfig();
    const used = entries.findLast(({ type }) => type === 'assistant_output')?.model ?? '';
    const name = sessionTitleModel === '' ? used : sessionTitleModel;
    if (name === '') return '';
    const model = await models.get(name, signal);
    if (!model.capabilities.chat || (isCloudModel(model.name) && !hasAgreed(model.name, entries))) return '';
    const answer = client.chat(
      {
        model: model.name,
        messages: [
          {
            role: 'system',
            content: 'Write a title of at most six words for this conversation, in its language. Answer with the title alone.',
          },
          { role: 'user', content: about },
        ],
        options: { ...requestOptions(model, await requests.windowFor(model)), num_predict: longest, temperature: 0 },
        keep_alive: keepAlive,
        ...(model.capabilities.thinking && { think: false }),
        truncate: false,
        shift: false,
      },
      { signal },
    );
    let text = '';
    for await (const { message } of answer) text += message.content;
    return text;
  }
}

/** Returns what a model wrote as a title: its first line without thoughts, quotes and marks; null where that is none. */
export function cleanTitle(text: string): string | null {
  const spoken = text.replace(/^[\s\S]*<\/think>/, '').replace(/<think>[\s\S]*$/, '');
  const line = spoken.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  const title = line
    .replace(/^\s*(?:#+\s*|[*_]+)?(?:(?:title|titel)\s*:)?\s*/iu, '')
    .replaceAll(/[*_`]/g, '')
    .replace(/^["'“„«\s]+|["'”“»\s.]+$/gu, '')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '');
  return title === '' || [...title].length > maxTitleLength ? null : title;
}
