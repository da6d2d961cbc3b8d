import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../../protocol/entries';
import type { ProjectScope } from '../../database/search/projectScope';
import { databaseFileName } from '../../database/sqlite/databaseFile';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import type { ServerArbiter } from '../../model/serverArbiter';
import { CodebaseClient, CodebaseError } from '../codebaseClient';
import type { Embedder, EmbeddingModel } from '../embedding/embedder';
import { spokenTypes, type MessagePlace, type MessageState } from './messageProtocol';

/** Matching message with a line of its text. */
export interface FoundMessage {
  sessionId: string;
  seq: number;
  line: { text: string; marks: [number, number][] };
}

export interface MessageFinds {
  found: FoundMessage[];
  /** Null if the search by meaning ran. Otherwise contains an installed embedding model to suggest, if there is one. */
  missing: { suggestion: string | null } | null;
  /** True if the vectors were lost through damage. Then only words were searched. */
  isDamaged: boolean;
  /** True if a model is selected, but there are no vectors yet or the query cannot be embedded. Then only words were searched. */
  isUnavailable: boolean;
}

export type KeywordSearch = (request: {
  query: string;
  sessionId: null;
  offset: number;
  limit: number;
  scope?: ProjectScope | undefined;
}) => Promise<{ found: FoundMessage[] }>;

export interface MessageSearchOptions {
  workerPath: string;
  /** Storage folder. */
  directory: string;
  isReadOnly: boolean;
  keyword: KeywordSearch;
  embedder: Embedder;
  arbiter: Pick<ServerArbiter, 'begin' | 'mustWait'>;
  /** Returns whether the user has selected LanceDB for vectors. */
  isLance?: () => boolean;
  clock: Clock;
  logger: Logger;
}

/** Subfolder of the storage folder for LanceDB data. */
export const lanceFolderName = 'ollama-copilot.lance';
/** Number of texts per request. A chat may have to wait until one request has ended. */
const batchSize = 16;
/** Milliseconds before a new message is embedded, and between checks whether other requests still have priority. */
const indexDelayMs = 3_000;
const pollIntervalMs = 500;
/** Time limit for embedding a query, in milliseconds. */
const queryEmbeddingMs = 10_000;
const nothing: MessageFinds = { found: [], missing: null, isDamaged: false, isUnavailable: false };
const unavailable: MessageFinds = { ...nothing, isUnavailable: true };
const rankConstant = 60;

/** Searches past messages by words, by meaning or by both. Embeds the messages of all windows in the background. */
export class MessageSearch implements Disposable {
  private readonly client: CodebaseClient;
  private readonly lifetime = new AbortController();
  private lanceInitPromise: Promise<boolean> | null = null;
  private running: Promise<void> | null = null;
  private isRequestedAgain = false;

  constructor(private readonly options: MessageSearchOptions) {
    const { directory, workerPath, logger } = options;
    this.client = new CodebaseClient(workerPath, directory, logger, join(directory, lanceFolderName));
  }

  private get place(): MessagePlace {
    const { directory, isLance } = this.options;
    const index = join(directory, lanceFolderName, 'messages.sqlite');
    return { history: join(directory, databaseFileName), index, isLance: isLance?.() === true };
  }

  /** Starts a background task that removes vectors of deleted sessions and then embeds messages without a vector. */
  startInit(): void {
    this.lanceInitPromise = this.init();
    void this.lanceInitPromise.then((isReady) => (isReady ? this.indexMessages() : undefined));
  }

  ensureReady(): Promise<boolean> {
    this.lanceInitPromise ??= this.init();
    return this.lanceInitPromise;
  }

  /**
   * Embeds a finished message after a short delay, together with all
   * other messages without a vector. Ignores other types of entries.
   */
  async indexMessage({ type, isOpen }: Pick<Entry, 'type' | 'isOpen'>): Promise<void> {
    if (isOpen || !spokenTypes.includes(type)) return;
    if (this.running !== null) {
      this.isRequestedAgain = true;
      return;
    }
    await this.indexMessages(indexDelayMs);
  }

  /**
   * Embeds all messages without a vector, after a delay. Resolves when
   * every message has a vector or when embedding is not possible now.
   */
  indexMessages(delayMs = 0): Promise<void> {
    if (this.running !== null) this.isRequestedAgain = true;
    this.running ??= this.run(delayMs).finally(() => (this.running = null));
    return this.running;
  }

  async searchByKeyword(query: string, limit: number, scope?: ProjectScope): Promise<FoundMessage[]> {
    return (await this.options.keyword({ query, sessionId: null, offset: 0, limit, scope })).found;
  }

  async searchSemantic(query: string, limit: number, scope?: ProjectScope, signal?: AbortSignal): Promise<MessageFinds> {
    const { embedder } = this.options;
    const model = await embedder.model();
    if (model === null) return { ...nothing, missing: { suggestion: await embedder.suggestion() } };
    if (query.trim() === '') return nothing;
    if (!(await this.ensureReady())) return unavailable;
    const vector = await this.generateEmbedding(model, query, signal);
    if (vector === null) return unavailable;
    const answer = await this.client.messages(this.place, { do: 'nearest', model: model.key, vector, limit, scope });
    if (answer.did !== 'nearest') return unavailable;
    return {
      found: answer.found.map(({ sessionId, seq, line }) => ({ sessionId, seq, line: { text: line, marks: [] } })),
      missing: null,
      isDamaged: answer.isDamaged,
      isUnavailable: answer.found.length === 0 && !answer.isDamaged && (await this.state()).vectors === 0,
    };
  }

  /**
   * Searches by words and by meaning, and combines the results by reciprocal rank fusion. If the search by meaning fails, uses
   * only words. `scope` limits the results to messages that a model may see.
   */
  async searchHybrid(query: string, limit: number, scope?: ProjectScope, signal?: AbortSignal): Promise<MessageFinds> {
    const semantic = this.searchSemantic(query, limit, scope, signal).catch((error: unknown): MessageFinds => {
      this.options.logger.warn('Conversations could not be searched by meaning', error);
      return unavailable;
    });
    const [words, { found, ...rest }] = await Promise.all([this.searchByKeyword(query, limit, scope), semantic]);
    signal?.throwIfAborted();
    return { found: rest.missing === null ? joined([words, found]).slice(0, limit) : [], ...rest };
  }

  async deleteSessionEntries(sessionId: string): Promise<void> {
    if (!this.options.isReadOnly && existsSync(this.place.index))
      await this.client.messages(this.place, { do: 'forget', sessionId });
  }

  /** Deletes all vectors and embeds all messages again. */
  async recreateSearchTable(): Promise<void> {
    await this.client.messages(this.place, { do: 'recreate' });
    this.startInit();
  }

  async state(): Promise<MessageState> {
    const answer = await this.client.messages(this.place, { do: 'state' });
    return answer.did === 'state' ? answer : { messages: 0, vectors: 0, bytes: 0, lance: null };
  }

  /** Aborts running work, waits until it has ended, and closes the index. */
  async close(): Promise<void> {
    this.lifetime.abort();
    await this.lanceInitPromise;
    this.lanceInitPromise = null;
    await this.running;
    await this.client.dispose();
  }

  dispose(): Promise<void> {
    return this.close();
  }

  private async init(): Promise<boolean> {
    const { isReadOnly, embedder, logger } = this.options;
    if (isReadOnly) return false;
    try {
      // Do not start a worker if the index is not in use.
      if (!existsSync(this.place.index) && !embedder.isChosen) return true;
      await this.state();
      return true;
    } catch (error) {
      if (!this.lifetime.signal.aborted) logger.warn('Conversations cannot be searched by meaning', error);
      return false;
    }
  }

  private async generateEmbedding(model: EmbeddingModel, text: string, signal?: AbortSignal): Promise<Float32Array | null> {
    const { embedder, clock } = this.options;
    const over = new AbortController();
    const all = AbortSignal.any([over.signal, this.lifetime.signal, ...(signal === undefined ? [] : [signal])]);
    const late = clock.sleep(queryEmbeddingMs, all).then(() => null);
    late.catch(() => undefined);
    try {
      return await Promise.race([embedder.query(model, text, all), late]);
    } finally {
      over.abort();
    }
  }

  private async run(delayMs: number): Promise<void> {
    const { embedder, isReadOnly, clock, logger } = this.options;
    const { signal } = this.lifetime;
    if (isReadOnly || !embedder.isChosen) return;
    try {
      do {
        this.isRequestedAgain = false;
        await clock.sleep(delayMs, signal);
        const model = await embedder.model();
        if (model === null || !(await this.ensureReady())) return;
        await this.embedAll(model, signal);
      } while (this.isRequestedAgain);
    } catch (error) {
      if (!isCancelled(error) && !(error instanceof CodebaseError && signal.aborted))
        logger.warn('Conversations cannot be embedded now', error);
    }
  }

  private async embedded(model: EmbeddingModel, texts: string[], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    const end = this.options.arbiter.begin('messageIndex');
    try {
      return await this.options.embedder.documents(model, texts, signal);
    } finally {
      end();
    }
  }

  private async embedAll(model: EmbeddingModel, signal: AbortSignal): Promise<void> {
    const { arbiter, clock } = this.options;
    for (let clearings = 0; clearings < 2;) {
      while (arbiter.mustWait('messageIndex')) await clock.sleep(pollIntervalMs, signal);
      signal.throwIfAborted();
      const batch = await this.client.messages(this.place, { do: 'next', model: model.key, limit: batchSize });
      if (batch.did !== 'next' || batch.reached.length === 0) return;
      const { texts, reached } = batch;
      const input = texts.map(({ text }) => text);
      const vectors = input.length === 0 ? [] : await this.embedded(model, input, signal);
      const rows = texts.map(({ sessionId, seq, part }, index) => ({ sessionId, seq, part, vector: vectors[index] ?? null }));
      const answer = await this.client.messages(this.place, { do: 'put', model: model.key, rows, reached });
      // Stop if the server changes the length of its vectors a second time, because these vectors are not comparable.
      if (answer.did === 'put' && answer.isCleared) clearings += 1;
    }
  }
}

/**
 * Combines rankings. The score of a message is the sum of 1 / (60 + rank).
 * The displayed line comes from the first ranking that contains the message.
 */
function joined(rankings: readonly (readonly FoundMessage[])[]): FoundMessage[] {
  const scores = new Map<string, { message: FoundMessage; score: number }>();
  for (const ranking of rankings)
    for (const [rank, message] of ranking.entries()) {
      const key = `${message.sessionId} ${message.seq}`;
      const known = scores.get(key) ?? { message, score: 0 };
      scores.set(key, { ...known, score: known.score + 1 / (rankConstant + rank) });
    }
  return [...scores.values()].sort((a, b) => b.score - a.score).map(({ message }) => message);
}
