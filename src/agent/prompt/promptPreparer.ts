import type { Settings } from '../../config/settings';
import type { Attachment, AttachmentRef } from '../../protocol/entries';
import { isNearby } from '../../services/network/addresses';
import type { ServerArbiter } from '../../services/model/serverArbiter';
import { readHost } from '../../types/httpAddress';
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
import { commonPrefixLength, joinPrompt, type PromptSpeed } from '../loop/modelSpeed';
import { nextRequest, type NextRequestSources, type ChatForRequest } from './nextRequest';

/** Reads the attachments whose text may be sent without a question. */
type ReadAttachments = (attachments: readonly AttachmentRef[]) => Promise<readonly Attachment[]>;

export interface PreparerSources extends NextRequestSources {
  client: Pick<ChatClient, 'chat'>;
  models: Pick<ModelSource, 'get' | 'running'>;
  arbiter: Pick<ServerArbiter, 'mustWait' | 'nextChatSignal'>;
  /** Fires after a request to a model has ended. */
  onDidExchange: Event<ModelExchange>;
  /** Resolves with the template of a model, or undefined if the server does not return it. */
  templateOf: (model: string, signal: AbortSignal) => Promise<string | undefined>;
  speed: PromptSpeed;
  settings: Pick<Settings, 'baseUrl' | 'readsAhead'>;
  clock: Clock;
  logger: Logger;
}

/** Time in milliseconds without a change before a request is prepared. */
const quietMs = 400;
/** Minimum number of new characters. For a shorter text, preparing saves no noticeable time. */
const fewest = 1_500;
/** Matches templates that put the tools or the system prompt at the last message, as those of Mistral and Llama 3.1 do. */
const startAtEnd = /\{\{(?=[^}]*\$\.(?:Tools|System)\b)(?=[^}]*(?:slice \$\.Messages|\$last\b))[^}]*\}\}/;
/** Maximum share of the context window for a prepared prompt. */
const fullest = 0.9;
/** Minimum share of a prepared prompt that the next request must reuse. */
const leastReused = 0.9;

/**
 * Sends the start of the next request to the server before the user sends a message. The start is the system prompt, the
 * tools and the earlier messages. The server keeps it in its prompt cache, so that the answer begins sooner. The model must
 * be in memory, on this computer or in the local network, and no chat may be running. A new message cancels the preparation.
 */
export class PromptPreparer implements Disposable {
  private current: { chat: string; abort: AbortController } | null = null;
  /** Prompts in the server's cache, by model. */
  private readonly prepared = new Map<string, { chat: string; text: string; tokens: number }>();
  /** Models that reuse too little of a prepared prompt, because their template changes its start. */
  private readonly unfit = new Set<string>();
  /** Results of `movesStart` by model. */
  private readonly moving = new Map<string, boolean>();
  /** Last prompt sent to each model. The server's cache may contain only this prompt. */
  private readonly sent = new Map<string, string>();
  private readonly emitter: Emitter<void>;
  private readonly listener: Disposable;

  constructor(private readonly sources: PreparerSources) {
    this.emitter = new Emitter((error) => sources.logger.error('A listener of prepared prompts failed', error));
    this.listener = sources.onDidExchange((exchange) => this.noteSent(exchange));
  }

  /** Fires after the server has read a prompt. */
  get onDidPrepare() {
    return this.emitter.event;
  }

  /** Prepares the next request of a chat. Cancels the preparation for another chat. */
  prepare(chat: ChatForRequest, readAttachments: ReadAttachments = () => Promise.resolve([])): void {
    const { settings, arbiter, clock, logger } = this.sources;
    if (this.current?.chat === createKey(chat)) return;
    this.current?.abort.abort();
    this.current = null;
    if (!settings.readsAhead || isCloudModel(chat.model) || !isServerNearby(settings.baseUrl)) return;
    const current = (this.current = { chat: createKey(chat), abort: new AbortController() });
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

  /** Returns whether the server's cache contains the start of the next request of a chat. */
  isPrepared(chat: ChatForRequest): boolean {
    return [...this.prepared.values()].some((known) => known.chat === createKey(chat));
  }

  /**
   * Records how much of a prompt the server reused. Stops preparing for a model that
   * reuses too little. After this request, the server's cache contains another prompt.
   */
  note(request: ChatRequest, { reused, promptTokens }: { reused: number | null; promptTokens: number }): void {
    const known = this.prepared.get(request.model);
    this.prepared.delete(request.model);
    if (known === undefined || reused === null || !joinPrompt(request).startsWith(cutAtPlaceholder(known.text))) return;
    if (reused * promptTokens >= known.tokens * leastReused) return;
    this.unfit.add(request.model);
    this.sources.logger.debug(`${request.model} reuses too little of a prepared prompt: ${Math.floor(reused * 100)} %`);
  }

  dispose(): void {
    this.current?.abort.abort();
    void this.listener.dispose();
    this.emitter.dispose();
  }

  /** Records the last sent prompt. It replaces a prepared prompt in the server's cache. */
  private noteSent({ model, path, body, isLoad }: ModelExchange): void {
    if (isLoad) return;
    const text = path === '/api/chat' ? joinPrompt(body as ChatRequest) : JSON.stringify(body);
    this.sent.set(model, text);
    const known = this.prepared.get(model);
    if (known !== undefined && !text.startsWith(cutAtPlaceholder(known.text))) this.prepared.delete(model);
  }

  /**
   * Returns true if a template puts the tools or the system prompt at
   * the last message, so that the server reads them again every time.
   */
  private async movesStart(model: string, signal: AbortSignal): Promise<boolean> {
    const known = this.moving.get(model) ?? startAtEnd.test((await this.sources.templateOf(model, signal)) ?? '');
    this.moving.set(model, known);
    return known;
  }

  private async read(chat: ChatForRequest, readAttachments: ReadAttachments, signal: AbortSignal): Promise<void> {
    const { client, models, arbiter, speed } = this.sources;
    if (arbiter.mustWait('title')) return;
    const loaded = findModel(await models.running(signal), chat.model);
    if (loaded === undefined) return;
    const model = await models.get(chat.model, signal);
    if (this.unfit.has(model.name)) return;
    const attachments = await readAttachments(chat.attachments ?? []);
    // The request ends with a placeholder message, because templates place tools and thinking relative to the last message.
    const request = await nextRequest(this.sources, chat, model, { text: placeholder, attachments });
    // A different context window would make the server load the model again.
    if (loaded.context_length !== undefined && loaded.context_length !== request.options.num_ctx) return;
    request.options.num_predict = 1;
    const text = joinPrompt(request);
    const reading = speed.of(model.name, text);
    const known = commonPrefixLength(this.sent.get(model.name) ?? '', text);
    if (text.length - known < fewest && (this.isPrepared(chat) || !(await this.movesStart(model.name, signal)))) return;
    if (signal.aborted || arbiter.mustWait('title')) return;
    // A prompt that does not fit must be shortened before it is sent, so its start would change.
    if (estimatedTokens(text) > request.options.num_ctx * fullest) return;
    for await (const chunk of client.chat(request, { signal, isAhead: true })) {
      if (!chunk.done) continue;
      const { prompt_eval_duration: duration, prompt_eval_count: tokens = 0, prompt_eval_cached_count: cached } = chunk;
      reading.measured(duration === undefined ? undefined : duration / 1e6, tokens, cached);
      this.prepared.set(model.name, { chat: createKey(chat), text, tokens });
    }
    this.emitter.fire();
  }
}

function createKey({ sessionId, mode, model, entries, attachments = [] }: ChatForRequest): string {
  return JSON.stringify([sessionId, mode, model, entries.length, entries.at(-1)?.seq, attachments]);
}

const placeholder = '.';

/** Returns a prepared prompt up to the placeholder. */
function cutAtPlaceholder(text: string): string {
  return text.slice(0, text.lastIndexOf(placeholder));
}

function isServerNearby(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isNearby(readHost(new URL(baseUrl)));
}
