import type { Settings } from '../../config/settings';
import type { Attachment, AttachmentRef } from '../../protocol/entries';
import { isNearby } from '../../services/network/addresses';
import type { ServerArbiter } from '../../services/model/serverArbiter';
import { hostOf } from '../../types/httpAddress';
import { isCloudModel } from '../../types/model';
import { findModel } from '../../types/modelNames';
import type { ModelExchange } from '../../types/modelExchange';
import type { ChatRequest } from '../../types/ollama';
import { estimatedTokens } from '../../types/tokenLength';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { Emitter, type Event } from '../../utils/emitter';
import { isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { ChatClient, ModelSource } from '../kernel/ports';
import { commonPrefixLength, promptText, type PromptSpeed } from '../loop/modelSpeed';
import { nextRequest, type NextRequestSources, type OpenedChat } from './nextRequest';

/** Reads attachments whose text may be sent without a question. */
type ReadAttachments = (attachments: readonly AttachmentRef[]) => Promise<readonly Attachment[]>;

export interface PreparerSources extends NextRequestSources {
  client: Pick<ChatClient, 'chat'>;
  models: Pick<ModelSource, 'get' | 'running'>;
  arbiter: Pick<ServerArbiter, 'mustWait' | 'nextChatSignal'>;
  /** Fires when a request to a model has ended. */
  onDidExchange: Event<ModelExchange>;
  /** Resolves with the template of a model, as far as the server shows it. */
  templateOf: (model: string, signal: AbortSignal) => Promise<string | undefined>;
  speed: PromptSpeed;
  settings: Pick<Settings, 'baseUrl' | 'readsAhead'>;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds without a change before a request is prepared. */
const quietMs = 400;
/** Characters below which reading ahead saves no time that anybody notices. */
const fewest = 1_500;
/** Matches a template that writes the tools or the system prompt at the last message. Mistral and Llama 3.1 have such templates. */
const startAtEnd = /\{\{(?=[^}]*\$\.(?:Tools|System)\b)(?=[^}]*(?:slice \$\.Messages|\$last\b))[^}]*\}\}/;
/** Share of the context window that a prepared prompt may take. */
const fullest = 0.9;
/** Least share of a prepared prompt that the next request must reuse. */
const leastReused = 0.9;

/**
 * Lets the server read the start of the next request of an opened chat: system prompt, tools and earlier messages. It stays in the
 * server's prompt cache, so that the answer begins sooner. Only with a model that is in memory, on this computer or in its network,
 * and while no chat runs. A message that is sent ends it.
 */
export class PromptPreparer implements Disposable {
  private current: { chat: string; abort: AbortController } | null = null;
  /** Prompts that the server has read, by model. */
  private readonly prepared = new Map<string, { chat: string; text: string; tokens: number }>();
  /** Models whose prompt template changes the start of a prompt, so that the server reads it again. */
  private readonly unfit = new Set<string>();
  /** Models by whether their template moves tools or system prompt. */
  private readonly moving = new Map<string, boolean>();
  /** Last prompt sent to each model. The server may have only this one in its cache. */
  private readonly sent = new Map<string, string>();
  private readonly emitter: Emitter<void>;
  private readonly listener: Disposable;

  constructor(private readonly sources: PreparerSources) {
    this.emitter = new Emitter((error) => sources.logger.error('A listener of prepared prompts failed', error));
    this.listener = sources.onDidExchange((exchange) => this.noteSent(exchange));
  }

  /** Fires when the server has read a prompt. */
  get onDidPrepare() {
    return this.emitter.event;
  }

  /** Prepares the next request of a chat, in place of an earlier one that has not begun. */
  prepare(chat: OpenedChat, readAttachments: ReadAttachments = () => Promise.resolve([])): void {
    const { settings, arbiter, clock, logger } = this.sources;
    if (this.current?.chat === keyOf(chat)) return;
    this.current?.abort.abort();
    this.current = null;
    if (!settings.readsAhead || isCloudModel(chat.model) || !isServerNearby(settings.baseUrl)) return;
    const current = (this.current = { chat: keyOf(chat), abort: new AbortController() });
    const signal = AbortSignal.any([current.abort.signal, arbiter.nextChatSignal]);
    clock
      .sleep(quietMs, signal)
      .then(() => this.read(chat, readAttachments, signal))
      .catch((error: unknown) => {
        if (!isCancelled(error)) logger.warn('The next request could not be prepared', error);
      })
      .finally(() => {
        if (this.current === current) this.current = null;
      });
  }

  /** Returns whether the server has read the start of the next request of a chat. */
  isPrepared(chat: OpenedChat): boolean {
    return [...this.prepared.values()].some((known) => known.chat === keyOf(chat));
  }

  /**
   * Records which share of a prompt the server reused, and stops preparing for a model that reuses too little. The server has another
   * prompt in its cache from now on.
   */
  note(request: ChatRequest, { reused, promptTokens }: { reused: number | null; promptTokens: number }): void {
    const known = this.prepared.get(request.model);
    this.prepared.delete(request.model);
    if (known === undefined || reused === null || !promptText(request).startsWith(startOf(known.text))) return;
    if (reused * promptTokens >= known.tokens * leastReused) return;
    this.unfit.add(request.model);
    this.sources.logger.debug(`${request.model} reuses too little of a prepared prompt: ${Math.floor(reused * 100)} %`);
  }

  dispose(): void {
    this.current?.abort.abort();
    void this.listener.dispose();
    this.emitter.dispose();
  }

  /** Another prompt takes the place of a prepared one. */
  private noteSent({ model, path, body, isLoad }: ModelExchange): void {
    if (isLoad) return;
    const text = path === '/api/chat' ? promptText(body as ChatRequest) : JSON.stringify(body);
    this.sent.set(model, text);
    const known = this.prepared.get(model);
    if (known !== undefined && !text.startsWith(startOf(known.text))) this.prepared.delete(model);
  }

  /** Returns true if a template writes tools or system prompt at the last message, so that the server reads them again with each one. */
  private async movesStart(model: string, signal: AbortSignal): Promise<boolean> {
    const known = this.moving.get(model) ?? startAtEnd.test((await this.sources.templateOf(model, signal)) ?? '');
    this.moving.set(model, known);
    return known;
  }

  private async read(chat: OpenedChat, readAttachments: ReadAttachments, signal: AbortSignal): Promise<void> {
    const { client, models, arbiter, speed } = this.sources;
    if (arbiter.mustWait('title')) return;
    const loaded = findModel(await models.running(signal), chat.model);
    if (loaded === undefined) return;
    const model = await models.get(chat.model, signal);
    if (this.unfit.has(model.name)) return;
    const attachments = await readAttachments(chat.attachments ?? []);
    // A message of the user follows. Templates write tools and thoughts according to the place of the last one.
    const request = await nextRequest(this.sources, chat, model, { text: placeholder, attachments });
    // Another window would load the model again.
    if (loaded.context_length !== undefined && loaded.context_length !== request.options.num_ctx) return;
    request.options.num_predict = 1;
    const text = promptText(request);
    const reading = speed.of(model.name, text);
    const known = commonPrefixLength(this.sent.get(model.name) ?? '', text);
    if (text.length - known < fewest && (this.isPrepared(chat) || !(await this.movesStart(model.name, signal)))) return;
    if (signal.aborted || arbiter.mustWait('title')) return;
    // Room has to be made in a prompt that does not fit, so it begins differently.
    if (estimatedTokens(text) > request.options.num_ctx * fullest) return;
    for await (const chunk of client.chat(request, { signal, isAhead: true })) {
      if (!chunk.done) continue;
      const { prompt_eval_duration: duration, prompt_eval_count: tokens = 0, prompt_eval_cached_count: cached } = chunk;
      reading.measured(duration === undefined ? undefined : duration / 1e6, tokens, cached);
      this.prepared.set(model.name, { chat: keyOf(chat), text, tokens });
    }
    this.emitter.fire();
  }
}

function keyOf({ sessionId, mode, model, entries, attachments = [] }: OpenedChat): string {
  return JSON.stringify([sessionId, mode, model, entries.length, entries.at(-1)?.seq, attachments]);
}

const placeholder = '.';

/** Returns a prepared prompt up to the text of the placeholder. */
function startOf(text: string): string {
  return text.slice(0, text.lastIndexOf(placeholder));
}

function isServerNearby(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isNearby(hostOf(new URL(baseUrl)));
}
