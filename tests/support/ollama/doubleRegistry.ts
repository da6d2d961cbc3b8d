import { DoubleModel, withTag, type ModelSpec } from './doubleModel';
import { ModelSlot } from './modelSlot';
import { pause } from './pause';
import { WireError } from './wireError';
import type { OllamaOptions } from '../../../src/types/ollama';
import { windowLength } from './doubleWindow';

const defaultKeepAliveMs = 5 * 60_000;
/** About 292 years, the longest duration in Go. */
const foreverMs = 9_223_372_036_854;

/** A model in memory. */
export interface LoadedModel {
  readonly model: DoubleModel;
  readonly contextLength: number;
  readonly loadKey: string;
  keepAliveMs: number;
  expiresAt: Date;
}

/** Parameters of a load. Tests count these records to detect reloads. */
export interface LoadRecord {
  model: string;
  contextLength: number;
}

/** The models that a double has on disk and in memory, and the slot of each model. */
export class DoubleRegistry {
  /** All completed loads, in order. */
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

  /** Returns the models in the order of tags, newest first. */
  list(): DoubleModel[] {
    return [...this.models.values()].sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
  }

  /** Returns the models in memory that have not expired, in the order of ps, latest expiry first. */
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

  /** Returns true if the model is in memory with exactly these load-time options. */
  isLoadedWith(model: DoubleModel, options: OllamaOptions, shift: boolean): boolean {
    return this.running().some((entry) => entry.model === model && entry.loadKey === loadKey(options, shift));
  }

  /** Loads the model if it is not in memory. Other load-time options cause a reload. If the client disconnects, the load is aborted. */
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

  /** Sets how long the model stays in memory from now on. Undefined keeps the duration of the last request. Zero unloads the model. */
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

/** Returns the load-time options. A request that differs in any of them reloads the model. */
function loadKey(options: OllamaOptions, shift: boolean): string {
  const { num_ctx, num_batch, num_gpu, num_thread, main_gpu } = options;
  const { use_mmap } = options as { use_mmap?: boolean };
  return JSON.stringify({ num_ctx, num_batch, num_gpu, num_thread, main_gpu, use_mmap, shift });
}
