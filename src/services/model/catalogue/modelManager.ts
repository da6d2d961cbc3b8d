import type { ModelInfo, ModelList } from '../../../types/model';
import type { RunningModel, ThinkValue, WireModel } from '../../../types/ollama';
import { AsyncMutex } from '../../../utils/asyncMutex';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter, type Event } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import { factsOf, isIncomplete, keyOf, toModelInfo, type ModelFacts } from './modelFacts';
import { findModel } from '../../../types/modelNames';
import type { OllamaClient } from '../client/ollamaClient';
import { AuthError, ConnectionError, ModelNotFoundError, OllamaError } from '../client/ollamaErrors';
import { cacheBytesPerToken } from '../context/fittingWindow';
import { SharedTask } from './sharedTask';

/** Store of the last list between sessions. `fetchedAt` is in milliseconds since the epoch. */
export interface ModelStore {
  load(): Promise<{ models: ModelInfo[]; fetchedAt: number | null }>;
  save(models: ModelInfo[], fetchedAt: number): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  setThink(name: string, think: ThinkValue | null): Promise<void>;
}

const showsInFlight = 4;
/** Milliseconds after which a list is no proof any more that a model still has the same digest. */
const maxAge = 60_000;

/** Keeps the list of installed models: from the server when it answers, else the last one seen, marked as stale. */
export class ModelManager implements Disposable {
  private readonly emitter: Emitter<ModelList>;
  private refreshing: { address: string; task: SharedTask<ModelList> } | undefined;
  private readonly writes = new AsyncMutex();
  /** Digests (see `keyOf`) whose facts could not be read yet. */
  private readonly unread = new Set<string>();
  /** Digests of which the server was asked in this session. */
  private readonly asked = new Set<string>();
  private readonly cacheBytes = new Map<string, number | null>();
  private showFailure: OllamaError | undefined;
  private current: ModelList | undefined;
  private failure: OllamaError | null = null;

  constructor(
    private readonly client: Pick<OllamaClient, 'listModels' | 'showModel' | 'getRunningModels'>,
    private readonly store: ModelStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** The configured server, as its identity. */
    private readonly address: () => string = () => '',
  ) {
    this.emitter = new Emitter((error) => logger.error('A model list listener failed', error));
  }

  get onDidChange(): Event<ModelList> {
    return this.emitter.event;
  }

  /** Reason why the last refresh got no list from the server; null if it got one. */
  get lastError(): OllamaError | null {
    return this.failure;
  }

  /** Returns the list as last seen, in this session or (stale) an earlier one. Never asks the server. */
  async list(): Promise<ModelList> {
    if (this.current) return this.current;
    const stored = await this.readStored();
    return (this.current ??= stored);
  }

  /**
   * Asks the server. When it cannot be asked, the result is the last list with `stale: true`, and `lastError` says why.
   * Calls that overlap share one question, as long as the address stays the same.
   * @throws CancelledError
   */
  refresh(signal?: AbortSignal): Promise<ModelList> {
    const address = this.address();
    if (this.refreshing?.address !== address) {
      this.refreshing = { address, task: new SharedTask((own) => this.fetch(address, own)) };
    }
    return this.refreshing.task.run(signal);
  }

  /** Reads the store, which was not open before: what it remembers counts from here on, also for a list that the server gave meanwhile. */
  async reload(): Promise<void> {
    const stored = await this.readStored();
    const list = this.current;
    if (list === undefined || list.fetchedAt === null) {
      this.publish({ ...stored, models: stored.models.length > 0 ? stored.models : (list?.models ?? []) });
      return;
    }
    const chosen = (model: ModelInfo) => {
      const before = findModel(stored.models, model.name);
      return before === undefined ? {} : { enabled: before.enabled, think: before.think ?? null };
    };
    this.publish({ ...list, models: list.models.map((model) => ({ ...model, ...chosen(model) })) });
  }

  /**
   * Returns the model of that name, in any letter case and with or without `:latest`. Asks the server first where the model is unknown, its
   * details could not be read, or the list is of an earlier session or older than a minute: the name may have got another digest since. A
   * model that is known is returned as it was where the server does not answer.
   * @throws ModelNotFoundError, or why the server could not be asked
   */
  async get(name: string, signal?: AbortSignal): Promise<ModelInfo> {
    const list = await this.list();
    const known = findModel(list.models, name);
    const isKnown = known !== undefined && this.isRead(known);
    if (isKnown && !list.stale && this.clock.now() - (list.fetchedAt ?? 0) <= maxAge) return known;
    const asked = findModel((await this.refresh(signal)).models, name);
    if (asked && this.isRead(asked)) return asked;
    throw this.failure ?? (asked && this.showFailure) ?? new ModelNotFoundError(name);
  }

  /** Shows or hides a model in pickers, from now on. Rejects when that could not be stored. */
  async setEnabled(name: string, enabled: boolean): Promise<void> {
    const list = await this.list();
    const target = findModel(list.models, name)?.name ?? name;
    this.publish({ ...list, models: list.models.map((model) => (model.name === target ? { ...model, enabled } : model)) });
    await this.writes.runExclusive(() => this.store.setEnabled(target, enabled));
  }

  /** Chooses how a model is told to think; null leaves it to the server. Rejects when that could not be stored. */
  async setThink(name: string, think: ThinkValue | null): Promise<void> {
    const list = await this.list();
    const target = findModel(list.models, name)?.name ?? name;
    this.publish({ ...list, models: list.models.map((model) => (model.name === target ? { ...model, think } : model)) });
    await this.writes.runExclusive(() => this.store.setThink(target, think));
  }

  /** Returns the models in the server's memory now. Asks once: whoever wants to know, wants to know how things stand. */
  running(signal?: AbortSignal): Promise<RunningModel[]> {
    return this.client.getRunningModels({ signal, isRetried: false });
  }

  /** Resolves with the bytes that a token of a model takes in the server's cache; null where nobody knows. Asks once for each digest. */
  async cacheBytesOf({ name, digest }: Pick<RunningModel, 'name' | 'digest'>): Promise<number | null> {
    const known = this.cacheBytes.get(digest || name);
    if (known !== undefined) return known;
    const bytes = cacheBytesPerToken(await this.client.showModel(name));
    this.cacheBytes.set(digest || name, bytes);
    return bytes;
  }

  dispose(): void {
    this.refreshing?.task.cancel();
    this.emitter.dispose();
  }

  private isRead(model: ModelInfo): boolean {
    return model.digest !== '' && !this.unread.has(model.digest);
  }

  /** Fetches the list. Ignores the answer of a server that is not the configured one any more. */
  private async fetch(address: string, signal: AbortSignal): Promise<ModelList> {
    const known = (await this.list()).models;
    let listed: WireModel[];
    try {
      // With a known list, do not retry: the known list can be used until the server answers.
      listed = await this.client.listModels({ signal, isRetried: known.length === 0 });
    } catch (error) {
      if (!(error instanceof OllamaError)) throw error;
      if (this.address() !== address) return this.refresh(signal);
      this.failure = error;
      this.logger.warn(`Could not list the models: ${error.message}`);
      return this.publish({ ...(await this.list()), stale: true });
    }
    const facts = await this.readFacts(listed, known, signal);
    if (this.address() !== address) return this.refresh(signal);
    this.failure = null;
    // Read only now: it may have been changed while the server was asked.
    const before = (await this.list()).models;
    const models = listed.map((model) =>
      toModelInfo(model, facts.get(keyOf(model)) ?? findModel(known, model.name), findModel(before, model.name)),
    );
    const fetchedAt = this.clock.now();
    const list = this.publish({ models, stale: false, fetchedAt });
    await this.writeStored(fetchedAt);
    return list;
  }

  /** Maps `keyOf` to the facts of each model: the known ones, and those that the server tells about the others. */
  private async readFacts(
    listed: readonly WireModel[],
    known: readonly ModelInfo[],
    signal: AbortSignal,
  ): Promise<Map<string, ModelFacts>> {
    const facts = new Map<string, ModelFacts>();
    for (const model of known) {
      if (this.isRead(model)) facts.set(model.digest, model);
    }
    const isWanted = (key: string) => !facts.has(key) || (isIncomplete(facts.get(key)) && !this.asked.has(key));
    const unknown = new Map(listed.map((model) => [keyOf(model), model.name] as const).filter(([key]) => isWanted(key)));
    let isPointless = false;
    await mapLimited([...unknown], showsInFlight, async ([key, name]) => {
      if (!facts.has(key)) this.unread.add(key);
      if (isPointless) return;
      try {
        this.asked.add(key);
        facts.set(key, factsOf(await this.client.showModel(name, { signal })));
        this.unread.delete(key);
      } catch (error) {
        if (!(error instanceof OllamaError)) throw error;
        this.showFailure = error;
        this.logger.warn(`Could not read the details of ${name}: ${error.message}`);
        // The others would wait for the same answer in vain.
        isPointless ||= error instanceof ConnectionError || error instanceof AuthError;
      }
    });
    return facts;
  }

  private publish(list: ModelList): ModelList {
    this.current = list;
    this.emitter.fire(list);
    return list;
  }

  /** Reads the stored list. One that cannot be read is only a cache lost: the server has it. */
  private async readStored(): Promise<ModelList> {
    try {
      return { ...(await this.store.load()), stale: true };
    } catch (error) {
      this.logger.error('Could not read the stored model list', error);
      return { models: [], fetchedAt: null, stale: true };
    }
  }

  private async writeStored(fetchedAt: number): Promise<void> {
    try {
      await this.writes.runExclusive(() => {
        // Without its digest, a model whose facts are still missing counts as unknown in the next session.
        const models = (this.current?.models ?? []).map((model) =>
          this.unread.has(keyOf(model)) ? { ...model, digest: '' } : model,
        );
        return this.store.save(models, fetchedAt);
      });
    } catch (error) {
      this.logger.error('Could not store the model list', error);
    }
  }
}

/** Runs `work` on the items, at most `limit` at a time, with results in the order of the items. The first failure rejects. */
async function mapLimited<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const drain = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, drain));
  return results;
}
