import type { MemoryPlan, PlannedModel } from '../../../protocol/requests/fitRequests';
import type { ModelFigures } from '../../../types/modelFigures';

/** Model that the settings use, with the context window of its requests in tokens. */
export interface UsedModel {
  name: string;
  uses: PlannedModel['uses'];
  /** Size of the model file in bytes. */
  size: number;
  window: number;
  figures: Pick<ModelFigures, 'memory' | 'cache'>;
  isLoaded: boolean;
}

/**
 * Returns the total memory that the models need, and the models that would
 * be evicted. `room` is the memory for models in bytes; null if unknown.
 */
export function memoryPlan(used: readonly UsedModel[], room: MemoryPlan['room']): MemoryPlan {
  const models = used.map((model): PlannedModel => {
    const { name, uses, isLoaded } = model;
    return { name, uses, isLoaded, ...estimateNeed(model) };
  });
  const total = models.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    models,
    total,
    isComplete: models.every(({ certainty }) => certainty !== 'atLeast'),
    room,
    ...planEvictions(models, room),
  };
}

/** Returns the memory that a model needs with a context window. The value is measured, computed from measured sizes, or a lower bound. */
function estimateNeed({ size, window, figures: { memory, cache } }: UsedModel): Pick<PlannedModel, 'bytes' | 'certainty'> {
  const ofCache = (tokens: number) => (cache === null ? 0 : tokens * cache.bytesPerToken);
  if (memory?.window === window) return { bytes: memory.size, certainty: 'measured' };
  const certainty = cache === null ? 'atLeast' : 'estimated';
  if (memory !== null) return { bytes: Math.max(size, memory.size + ofCache(window - memory.window)), certainty };
  return { bytes: size + ofCache(window), certainty };
}

/** Order in which idle models are evicted: the use with the shortest `keep_alive` first. Embeddings use the server's default. */
const leavesFirst = ['embedding', 'completion', 'edit', 'plan', 'ask', 'agent'] as const;

/**
 * Returns the models that the server would evict to make room for the chat model. The server evicts idle models, starting with
 * the shortest `keep_alive` (`findRunnerToUnload` in Ollama's server/sched.go). `isTooLarge` is true if the chat model does not
 * fit even alone.
 */
function planEvictions(models: readonly PlannedModel[], room: MemoryPlan['room']): Pick<MemoryPlan, 'evicted' | 'isTooLarge'> {
  if (room === null) return { evicted: [], isTooLarge: false };
  const rank = ({ uses }: PlannedModel) => Math.max(...uses.map((use) => leavesFirst.indexOf(use)));
  const staying = [...models].sort((a, b) => rank(a) - rank(b));
  const evicted: string[] = [];
  const total = () => staying.reduce((sum, { bytes }) => sum + bytes, 0);
  while (staying.length > 1 && total() > room.bytes) evicted.push(staying.shift()?.name ?? '');
  return { evicted, isTooLarge: staying.length > 0 && total() > room.bytes };
}

/**
 * Returns the measured GPU memory for models, in bytes. This is the largest GPU part of a model that did not fit completely, or
 * the loaded size if it is larger. Returns null if no model has filled the GPU yet.
 */
export function measuredRoom(figures: Iterable<Pick<ModelFigures, 'memory'>>, loadedNow: number): number | null {
  const filled = [...figures].flatMap(({ memory }) =>
    memory !== null && memory.vram > 0 && memory.vram < memory.size ? [memory.vram] : [],
  );
  return filled.length === 0 ? null : Math.max(loadedNow, ...filled);
}
