import type { ModelExam } from '../../../types/exam';
import type { ModelInfo, ModelList } from '../../../types/model';
import type { ModelFigures } from '../../../types/modelFigures';
import type { RunningModel, ThinkValue, WireModel } from '../../../types/ollama';
import { AsyncMutex } from '../../../utils/asyncMutex';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter, type Event } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import { readModelFacts, isIncomplete, toModelInfo, type ModelFacts } from './modelFacts';
import { findModel, modelKey } from '../../../types/modelNames';
import type { OllamaClient } from '../client/ollamaClient';
import { AuthError, ConnectionError, ModelNotFoundError, OllamaError } from '../client/ollamaErrors';
import { computeCacheSize, lacksHeads } from '../context/cacheSize';
import { serverKey } from '../client/serverAddress';
import { SharedTask } from './sharedTask';

/** Store for the last list of models. `fetchedAt` is in milliseconds since the epoch. */
export interface ModelStore {
  load(): Promise<{ models: ModelInfo[]; fetchedAt: number | null }>;
  save(models: ModelInfo[], fetchedAt: number): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  setThink(name: string, think: ThinkValue | null): Promise<void>;
  /** Reads the exams of a server (see `serverKey`) by digest. Resolves with undefined while the storage is not open. */
  listExams?(server: string): Promise<ReadonlyMap<string, ModelExam> | undefined>;
}

const showsInFlight = 4;
/** Milliseconds for which the digests in a list are considered current. */
const maxAgeMs = 60_000;

/** Maintains the list of installed models. Provides the list from the server, or the last known list marked as stale. */
export class ModelManager implements Disposable {
  private readonly emitter: Emitter<ModelList>;
  private refreshing: { address: string; task: SharedTask<ModelList> } | undefined;
  private readonly writes = new AsyncMutex();
  /** Digests (see `modelKey`) of models whose facts could not be read yet. */
  private readonly digestsWithoutFacts = new Set<string>();
  private readonly requestedDigests = new Set<string>();
  private readonly cacheSizes = new Map<string, ModelFigures['cache']>();
  private exams: { server: string; byDigest: Map<string, ModelExam> } = { server: '', byDigest: new Map() };
  private showFailure: OllamaError | undefined;
  private current: ModelList | undefined;
  private failure: OllamaError | null = null;

  constructor(
    private readonly client: Pick<OllamaClient, 'listModels' | 'showModel' | 'getRunningModels'>,
    private readonly store: ModelStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Returns the identity of the configured server. */
    private readonly address: () => string = () => '',
  ) {
    this.emitter = new Emitter((error) => logger.error('A model list listener failed', error));
  }

  get onDidChange(): Event<ModelList> {
    return this.emitter.event;
  }

  /** Error of the last refresh. Null if it succeeded. */
  get lastError(): OllamaError | null {
    return this.failure;
  }

  /** Returns the last known list without contacting the server. A list from an earlier session is marked as stale. */
  async list(): Promise<ModelList> {
    if (this.current) return this.current;
    const stored = await this.readStored();
    return (this.current ??= stored);
  }

  /**
   * Refreshes the list. On failure, resolves with the last list and `stale: true`. `lastError` then contains the reason. Parallel
   * calls share one request while the address is the same. Throws `CancelledError`.
   */
  refresh(signal?: AbortSignal): Promise<ModelList> {
    const address = this.address();
    if (this.refreshing?.address !== address) {
      this.refreshing = { address, task: new SharedTask((own) => this.fetch(address, own)) };
    }
    return this.refreshing.task.run(signal);
  }

  /** Applies the stored choices after the storage was opened, even to a list that has already been fetched from the server. */
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
   * Returns a model by name, ignoring case and a missing `:latest`. Refreshes the list first if
   * the model or its details are unknown. Also refreshes a list that is from an earlier session or
   * older than a minute, because the digest of the name may have changed. If the server does not
   * respond, returns the known model. Throws `ModelNotFoundError`, or the error of the request.
   */
  async get(name: string, signal?: AbortSignal): Promise<ModelInfo> {
    const list = await this.list();
    const known = findModel(list.models, name);
    const isKnown = known !== undefined && this.isRead(known);
    if (isKnown && !list.stale && this.clock.now() - (list.fetchedAt ?? 0) <= maxAgeMs) return known;
    const asked = findModel((await this.refresh(signal)).models, name);
    if (asked && this.isRead(asked)) return asked;
    throw this.failure ?? (asked && this.showFailure) ?? new ModelNotFoundError(name);
  }

  /** Shows or hides a model in pickers. Rejects if the choice cannot be stored. */
  async setEnabled(name: string, enabled: boolean): Promise<void> {
    const list = await this.list();
    const target = findModel(list.models, name)?.name ?? name;
    this.publish({ ...list, models: list.models.map((model) => (model.name === target ? { ...model, enabled } : model)) });
    await this.writes.runExclusive(() => this.store.setEnabled(target, enabled));
  }

  /** Sets the thinking level of a model. Null uses the server's default. Rejects if the choice cannot be stored. */
  async setThink(name: string, think: ThinkValue | null): Promise<void> {
    const list = await this.list();
    const target = findModel(list.models, name)?.name ?? name;
    this.publish({ ...list, models: list.models.map((model) => (model.name === target ? { ...model, think } : model)) });
    await this.writes.runExclusive(() => this.store.setThink(target, think));
  }

  /** Adds a new exam result for a digest to the list. */
  async setExam(digest: string, exam: ModelExam): Promise<void> {
    const list = await this.list();
    this.exams.byDigest.set(digest, exam);
    this.publish(list);
  }

  /** Returns the models that are loaded on the server. Does not retry, because the caller needs the current state. */
  running(signal?: AbortSignal): Promise<RunningModel[]> {
    return this.client.getRunningModels({ signal, isRetried: false });
  }

  /** Resolves with the size of one token in the model's cache; null if unknown. Requests the size once per digest. */
  async readCacheSize(model: Pick<RunningModel, 'name' | 'digest'>): Promise<ModelFigures['cache']> {
    const known = this.cacheSizes.get(modelKey(model));
    if (known !== undefined) return known;
    const shown = await this.client.showModel(model.name);
    const size = computeCacheSize(lacksHeads(shown) ? await this.client.showModel(model.name, { isVerbose: true }) : shown);
    this.cacheSizes.set(modelKey(model), size);
    return size;
  }

  dispose(): void {
    this.refreshing?.task.cancel();
    this.emitter.dispose();
  }

  private isRead(model: ModelInfo): boolean {
    return model.digest !== '' && !this.digestsWithoutFacts.has(model.digest);
  }

  /** Fetches the list. Ignores the response if the configured server has changed. */
  private async fetch(address: string, signal: AbortSignal): Promise<ModelList> {
    const known = (await this.list()).models;
    let listed: WireModel[];
    try {
      // Retry only if no list is known. With a known list, the user can continue until the server responds.
      listed = await this.client.listModels({ signal, isRetried: known.length === 0 });
    } catch (error) {
      if (!(error instanceof OllamaError)) throw error;
      if (this.address() !== address) return this.refresh(signal);
      this.failure = error;
      this.logger.warn(`Could not list the models: ${error.message}`);
      return this.publish({ ...(await this.list()), stale: true });
    }
    const facts = await this.readFacts(listed, known, signal);
    await this.readExams();
    if (this.address() !== address) return this.refresh(signal);
    this.failure = null;
    // Read the list after the request, because the user may have changed a choice in the meantime.
    const before = (await this.list()).models;
    const models = listed.map((model) =>
      toModelInfo(model, facts.get(modelKey(model)) ?? findModel(known, model.name), findModel(before, model.name)),
    );
    const fetchedAt = this.clock.now();
    const list = this.publish({ models, stale: false, fetchedAt });
    await this.writeStored(fetchedAt);
    return list;
  }

  /** Maps `modelKey` to the facts of each model. Requests only facts that are unknown or incomplete. */
  private async readFacts(
    listed: readonly WireModel[],
    known: readonly ModelInfo[],
    signal: AbortSignal,
  ): Promise<Map<string, ModelFacts>> {
    const facts = new Map<string, ModelFacts>();
    for (const model of known) {
      if (this.isRead(model)) facts.set(model.digest, model);
    }
    const isWanted = (key: string) => !facts.has(key) || (isIncomplete(facts.get(key)) && !this.requestedDigests.has(key));
    const unknown = new Map(listed.map((model) => [modelKey(model), model.name] as const).filter(([key]) => isWanted(key)));
    let isServerDown = false;
    await mapLimited([...unknown], showsInFlight, async ([key, name]) => {
      if (!facts.has(key)) this.digestsWithoutFacts.add(key);
      if (isServerDown) return;
      try {
        this.requestedDigests.add(key);
        facts.set(key, readModelFacts(await this.client.showModel(name, { signal })));
        this.digestsWithoutFacts.delete(key);
      } catch (error) {
        if (!(error instanceof OllamaError)) throw error;
        this.showFailure = error;
        this.logger.warn(`Could not read the details of ${name}: ${error.message}`);
        // Requests for the other models would fail in the same way.
        isServerDown ||= error instanceof ConnectionError || error instanceof AuthError;
      }
    });
    return facts;
  }

  private publish(given: ModelList): ModelList {
    const list = { ...given, models: given.models.map((model) => this.withExam(model)) };
    this.current = list;
    this.emitter.fire(list);
    return list;
  }

  private withExam({ exam: _before, ...model }: ModelInfo): ModelInfo {
    const exam = this.exams.byDigest.get(modelKey(model));
    return exam === undefined ? model : { ...model, exam };
  }

  /** Reads the exams of the server, once per server. */
  private async readExams(): Promise<void> {
    const server = serverKey(this.address());
    if (this.exams.server === server) return;
    try {
      const read = await this.store.listExams?.(server);
      if (read !== undefined) this.exams = { server, byDigest: new Map(read) };
    } catch (error) {
      this.logger.error('Could not read the exams of the models', error);
    }
  }

  /** Reads the stored list. The list is only a cache, so an unreadable list is not an error. */
  private async readStored(): Promise<ModelList> {
    try {
      const { models, fetchedAt } = await this.store.load();
      await this.readExams();
      return { models: models.map((model) => this.withExam(model)), fetchedAt, stale: true };
    } catch (error) {
      this.logger.error('Could not read the stored model list', error);
      return { models: [], fetchedAt: null, stale: true };
    }
  }

  private async writeStored(fetchedAt: number): Promise<void> {
    try {
      await this.writes.runExclusive(() => {
        // Without a digest, a model with missing facts is treated as unknown in the next session.
        const models = (this.current?.models ?? []).map((model) =>
          this.digestsWithoutFacts.has(modelKey(model)) ? { ...model, digest: '' } : model,
        );
        return this.store.save(models, fetchedAt);
      });
    } catch (error) {
      this.logger.error('Could not store the model list', error);
    }
  }
}

/**
 * Runs `work` on all items, at most `limit` at a time. The results are in the order of the items. Rejects with the first error.
 */
async function mapLimited<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const drain = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, drain));
  return results;
}
