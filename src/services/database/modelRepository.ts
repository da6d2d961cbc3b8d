import { z } from 'zod';
import type { ModelCapabilities, ModelInfo } from '../../types/model';
import type { Clock } from '../../utils/clock';
import type { Connection } from './connection';

/** The model list as last fetched, for use without a server. Every method throws `StorageError`. */
export class ModelRepository {
  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
  ) {}

  /** In the order they were saved in; `fetchedAt` in milliseconds since the epoch, null when nothing was ever saved. */
  load(): Promise<{ models: ModelInfo[]; fetchedAt: number | null }> {
    return this.connection.read(() => {
      const rows = this.connection.statement('SELECT * FROM models ORDER BY rowid').all();
      const fetchedAt = this.connection.statement('SELECT value FROM meta WHERE key = ?').get(fetchedAtKey)?.value;
      return { models: rows.map(toModel), fetchedAt: fetchedAt === undefined ? null : Number(fetchedAt) };
    });
  }

  /** Replaces the list; a model that was there before keeps its `enabled`. */
  async save(models: ModelInfo[], fetchedAt: number = this.clock.now()): Promise<void> {
    await this.connection.write(() => {
      const before = this.connection.statement('SELECT name, enabled FROM models').all();
      const enabled = new Map(before.map((row) => [String(row.name), Number(row.enabled)]));
      this.connection.statement('DELETE FROM models').run();
      for (const model of models) {
        this.connection.statement(insertSql).run({
          name: model.name,
          digest: model.digest,
          size: model.size,
          family: model.family,
          parameterSize: model.parameterSize,
          quantization: model.quantization,
          capabilities: JSON.stringify(wordsOf(model.capabilities)),
          contextLength: model.contextLength,
          stop: JSON.stringify(model.stop),
          enabled: enabled.get(model.name) ?? (model.enabled ? 1 : 0),
          fetchedAt,
        });
      }
      this.connection.statement('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(fetchedAtKey, String(fetchedAt));
    });
  }

  /** The context window chosen for the model of that digest. One that cannot be read counts as not chosen. */
  windowOf(digest: string): Promise<z.infer<typeof windowSchema> | undefined> {
    return this.connection.read(() => {
      const value = this.connection.statement('SELECT value FROM meta WHERE key = ?').get(windowKey(digest))?.value;
      return value === undefined ? undefined : windowFrom(String(value));
    });
  }

  async keepWindow(digest: string, window: z.infer<typeof windowSchema>): Promise<void> {
    await this.connection.write(() => {
      const statement = this.connection.statement('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
      statement.run(windowKey(digest), JSON.stringify(window));
    });
  }

  /** Nothing happens where there is no such model. */
  async setEnabled(name: string, enabled: boolean): Promise<void> {
    await this.connection.write(() => {
      this.connection.statement('UPDATE models SET enabled = ? WHERE name = ?').run(enabled ? 1 : 0, name);
    });
  }
}

const fetchedAtKey = 'models_fetched_at';

/** Tokens, and the settings they were chosen under. */
const windowSchema = z.object({
  tokens: z.number().int().positive(),
  contextWindow: z.number(),
  maxContextWindow: z.number(),
});

function windowKey(digest: string): string {
  return `context_window:${digest}`;
}

function windowFrom(text: string): z.infer<typeof windowSchema> | undefined {
  try {
    return windowSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const insertSql = `
  INSERT OR REPLACE INTO models
    (name, digest, size, family, parameter_size, quantization_level, capabilities, context_length, stop, enabled, fetched_at)
  VALUES
    (:name, :digest, :size, :family, :parameterSize, :quantization, :capabilities, :contextLength, :stop, :enabled, :fetchedAt)`;

/** The server's word for each capability. */
const words: Record<keyof ModelCapabilities, string> = {
  chat: 'completion',
  fim: 'insert',
  tools: 'tools',
  vision: 'vision',
  embedding: 'embedding',
  thinking: 'thinking',
};

function wordsOf(capabilities: ModelCapabilities): string[] {
  return keysOf(words)
    .filter((key) => capabilities[key])
    .map((key) => words[key]);
}

/** The lists of a damaged row read as empty: the next refresh writes them anew. */
const rowSchema = z.object({
  name: z.string(),
  digest: z.string(),
  size: z.number(),
  family: z.string().nullable(),
  parameter_size: z.string().nullable(),
  quantization_level: z.string().nullable(),
  capabilities: z.string().transform(listOf),
  context_length: z.number().nullable(),
  stop: z.string().transform(listOf),
  enabled: z.number(),
});

function listOf(text: string): string[] {
  try {
    return z.array(z.string()).catch([]).parse(JSON.parse(text));
  } catch {
    return [];
  }
}

function toModel(row: unknown): ModelInfo {
  const model = rowSchema.parse(row);
  const has = (key: keyof ModelCapabilities) => model.capabilities.includes(words[key]);
  return {
    name: model.name,
    digest: model.digest,
    size: model.size,
    family: model.family,
    parameterSize: model.parameter_size,
    quantization: model.quantization_level,
    capabilities: {
      chat: has('chat'),
      fim: has('fim'),
      tools: has('tools'),
      vision: has('vision'),
      embedding: has('embedding'),
      thinking: has('thinking'),
    },
    contextLength: model.context_length,
    stop: model.stop,
    enabled: model.enabled === 1,
  };
}

function keysOf<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[];
}
