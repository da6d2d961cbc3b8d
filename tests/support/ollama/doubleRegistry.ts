import { DoubleModel, withTag, type ModelSpec } from './doubleModel';
import { ModelSlot } from './modelSlot';
import { pause } from './pause';
import { WireError } from './wireError';
import type { OllamaOptions } from '../../../src/types/ollama';
import { windowLength } from './doubleWindow';

const defaultKeepAliveMs = 5 * 60_000;
/** About 292 years, the longest duration that Go knows. */
const foreverMs = 9_223_372_036_854;

/** A model in memory. */
export interface LoadedModel {
  readonly model: DoubleModel;
  readonly contextLength: number;
  readonly loadKey: string;
  keepAliveMs: number;
  expiresAt: Date;
}

/** What a load was made with; a test counts these to see reloads. */
export interface LoadRecord {
  model: string;
  contextLength: number;
}

/** The models that a double has on disk and in memory, and the one slot that each of them runs in. */
export class DoubleRegistry {
  /** Every load that was completed, in order. */
  readonly loads: LoadRecord[] = [];
  private readonly models = new Map<string, DoubleModel>();
  private readonly loaded = new Map<string, LoadedModel>();
  private readonly slots = new Map<string, ModelSlot>();

  constructor(
    private readonly now: () => Date,
    private readonly parallel = 1,
  ) {}

  add(spec: ModelSpec): DoubleModel {
    const model = new DoubleModel(spec, this.now());
    this.models.set(model.name.toLowerCase(), model);
    return model;
  }

  find(name: string): DoubleModel | undefined {
    return this.models.get(withTag(name).toLowerCase());
  }

  remove(model: DoubleModel): void {
    this.models.delete(model.name.toLowerCase());
    this.loaded.delete(model.name);
  }

  /** Newest first, as tags lists them. */
  list(): DoubleModel[] {
    return [...this.models.values()].sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
  }

  /** In memory and not expired, the longest-lived first, as ps lists them. */
  running(): LoadedModel[] {
    const now = this.now();
    for (const [name, entry] of this.loaded) if (entry.expiresAt <= now) this.loaded.delete(name);
    return [...this.loaded.values()].sort((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime());
  }

  slot(model: DoubleModel): ModelSlot {
    const slot = this.slots.get(model.name) ?? new ModelSlot(this.parallel);
    this.slots.set(model.name, slot);
    return slot;
  }

  /** Whether the model is in memory with exactly these load-time options. */
  isLoadedWith(model: DoubleModel, options: OllamaOptions, shift: boolean): boolean {
    return this.running().some((entry) => entry.model === model && entry.loadKey === loadKey(options, shift));
  }

  /** Loads the model unless it is in memory already; other load-time options reload it. A client that leaves aborts the load. */
  async load(model: DoubleModel, options: OllamaOptions, shift: boolean, signal: AbortSignal): Promise<void> {
    if (this.isLoadedWith(model, options, shift)) return;
    const keepAliveMs = this.loaded.get(model.name)?.keepAliveMs ?? defaultKeepAliveMs;
    this.loaded.delete(model.name);
    await pause(model.spec.loading ?? model.spec.loadDelayMs ?? 0, signal);
    if (model.spec.loadError !== undefined) throw new WireError(500, model.spec.loadError);
    const contextLength = windowLength(model, options);
    const entry = { model, contextLength, loadKey: loadKey(options, shift), keepAliveMs, expiresAt: this.expiry(keepAliveMs) };
    this.loaded.set(model.name, entry);
    this.loads.push({ model: model.name, contextLength });
  }

  /** Sets how long the model stays, counted from now; undefined keeps what the last request asked for. Zero unloads it. */
  keep(model: DoubleModel, keepAliveMs: number | undefined): void {
    const entry = this.loaded.get(model.name);
    if (!entry) return;
    entry.keepAliveMs = keepAliveMs ?? entry.keepAliveMs;
    entry.expiresAt = this.expiry(entry.keepAliveMs);
    if (entry.keepAliveMs === 0) this.loaded.delete(model.name);
  }

  private expiry(keepAliveMs: number): Date {
    return new Date(this.now().getTime() + Math.min(keepAliveMs, foreverMs));
  }
}

/** The options that are fixed while a model is in memory: a request that differs in one of them reloads it. */
function loadKey(options: OllamaOptions, shift: boolean): string {
  const { num_ctx, num_batch, num_gpu, num_thread, main_gpu } = options;
  const { use_mmap } = options as { use_mmap?: boolean };
  return JSON.stringify({ num_ctx, num_batch, num_gpu, num_thread, main_gpu, use_mmap, shift });
}
