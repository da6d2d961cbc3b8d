import type { ModelFigures } from '../../../types/modelFigures';
import { isRecord, parsedRecord } from '../../../utils/json';
import type { Connection } from '../sqlite/connection';
import { metaValues, setMeta } from '../sqlite/meta';
import { readOwnWindow } from './ownWindow';

/** Stores the measured figures of models, by machine and digest. Every method throws `StorageError`. */
export class FigureRepository {
  constructor(private readonly connection: Connection) {}

  /** Reads the figures of a machine by digest. Unreadable values are null, so that they are measured again. */
  all(machine: string): Promise<Map<string, ModelFigures>> {
    return this.connection.read(() => {
      const texts = metaValues(this.connection, createKey(machine, ''));
      const ownWindow = (digest: string) => readOwnWindow(this.connection, digest);
      return new Map([...texts].map(([digest, text]) => [digest, { ...figuresFrom(text), ownWindow: ownWindow(digest) }]));
    });
  }

  async keep(machine: string, digest: string, figures: ModelFigures): Promise<void> {
    await this.connection.write(() => setMeta(this.connection, createKey(machine, digest), JSON.stringify(figures)));
  }
}

function createKey(machine: string, digest: string): string {
  return `model_figures:${encodeURIComponent(machine)}:${digest}`;
}

// Validate without a schema: a window reads the figures with its first model list, before any schemas are loaded.
function figuresFrom(text: string): Omit<ModelFigures, 'ownWindow'> {
  const { loadMs, short, long, memory, cache, largest } = parsedRecord(text) ?? {};
  const speed = (value: unknown) =>
    readPart(value, ({ promptTokens, promptRate, answerRate }) =>
      isNumber(promptTokens) ? { promptTokens, promptRate: readNumber(promptRate), answerRate: readNumber(answerRate) } : null,
    );
  return {
    loadMs: readNumber(loadMs),
    short: speed(short),
    long: speed(long),
    memory: readPart(memory, ({ size, vram, window }) =>
      isNumber(size) && isNumber(vram) && isNumber(window) ? { size, vram, window } : null,
    ),
    cache: readPart(cache, ({ bytesPerToken, isUpperBound }) =>
      isNumber(bytesPerToken) ? { bytesPerToken, isUpperBound: isUpperBound === true } : null,
    ),
    largest: readPart(largest, ({ tokens }) => ({ tokens: readNumber(tokens) })),
  };
}

function readPart<T>(value: unknown, read: (fields: Record<string, unknown>) => T | null): T | null {
  return isRecord(value) ? read(value) : null;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function readNumber(value: unknown): number | null {
  return isNumber(value) ? value : null;
}
