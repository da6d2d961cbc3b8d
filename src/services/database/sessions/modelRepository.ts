import type { ModelExam } from '../../../types/exam';
import type { ModelCapabilities, ModelInfo, ThinkingLevels } from '../../../types/model';
import type { ThinkValue } from '../../../types/ollama';
import type { Clock } from '../../../utils/clock';
import { parsedJson, parsedRecord } from '../../../utils/json';
import type { Connection } from '../sqlite/connection';
import { metaValue, setMeta } from '../sqlite/meta';
import { readOwnWindow, setOwnWindow } from './ownWindow';
import { ExamRepository } from './examRepository';

/** Context window in tokens, and the settings for which it was chosen. */
interface ChosenWindow {
  tokens: number;
  contextWindow: number;
  maxContextWindow: number;
}

/** Stores the last fetched model list, for use without a server. Every method throws `StorageError`. */
export class ModelRepository {
  readonly exams: ExamRepository;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
  ) {
    this.exams = new ExamRepository(connection);
  }

  /** Reads the exams of a server by digest. */
  listExams(server: string): Promise<Map<string, ModelExam>> {
    return this.exams.listExams(server);
  }

  /** Reads the models in the order in which they were saved. `fetchedAt` is in milliseconds, and null if no list was saved. */
  load(): Promise<{ models: ModelInfo[]; fetchedAt: number | null }> {
    return this.connection.read(() => {
      const rows = this.connection.statement('SELECT * FROM models ORDER BY rowid').all();
      const fetchedAt = metaValue(this.connection, fetchedAtKey);
      return { models: rows.map(toModel), fetchedAt: fetchedAt === undefined ? null : Number(fetchedAt) };
    });
  }

  /** Replaces the list. Existing models keep their values of `enabled` and `think`. */
  async save(models: ModelInfo[], fetchedAt: number = this.clock.now()): Promise<void> {
    await this.connection.write(() => {
      const before = this.connection.statement('SELECT name, enabled, think FROM models').all();
      const chosen = new Map(before.map((row) => [String(row.name), row]));
      this.connection.statement('DELETE FROM models').run();
      for (const model of models) {
        this.connection.statement(insertSql).run({
          name: model.name,
          digest: model.digest,
          size: model.size,
          family: model.family,
          parameterSize: model.parameterSize,
          quantization: model.quantization,
          capabilities: JSON.stringify(listCapabilities(model.capabilities)),
          contextLength: model.contextLength,
          stop: JSON.stringify(model.stop),
          ownOptions: stored(model.ownOptions),
          enabled: Number(chosen.get(model.name)?.enabled ?? (model.enabled ? 1 : 0)),
          thinking: stored(model.thinking),
          think: chosen.has(model.name) ? (chosen.get(model.name)?.think as string | null) : stored(model.think),
          families: JSON.stringify(model.families ?? []),
          modifiedAt: model.modifiedAt ?? null,
          fetchedAt,
        });
      }
      setMeta(this.connection, fetchedAtKey, String(fetchedAt));
    });
  }

  /** Reads the context window chosen for a model digest. Returns undefined if it is missing or unreadable. */
  readWindow(digest: string): Promise<ChosenWindow | undefined> {
    return this.connection.read(() => windowFrom(metaValue(this.connection, windowKey(digest))));
  }

  async keepWindow(digest: string, window: ChosenWindow): Promise<void> {
    await this.connection.write(() => setMeta(this.connection, windowKey(digest), JSON.stringify(window)));
  }

  /** Reads the context window that the user chose for a model digest, in tokens. */
  async readOwnWindow(digest: string): Promise<number | undefined> {
    return (await this.connection.read(() => readOwnWindow(this.connection, digest))) ?? undefined;
  }

  /** Stores the context window that the user chose. With null, the settings apply again. */
  async keepOwnWindow(digest: string, tokens: number | null): Promise<void> {
    await this.connection.write(() => setOwnWindow(this.connection, digest, tokens));
  }

  /** Reads the measured characters per token of a model digest. */
  readTokenLength(digest: string): Promise<number | undefined> {
    return this.connection.read(() => {
      const length = Number(metaValue(this.connection, tokenLengthKey(digest)));
      return length > 0 && Number.isFinite(length) ? length : undefined;
    });
  }

  async keepTokenLength(digest: string, characters: number): Promise<void> {
    await this.connection.write(() => setMeta(this.connection, tokenLengthKey(digest), String(characters)));
  }

  /** Enables or disables a model. Does nothing if the model is unknown. */
  async setEnabled(name: string, enabled: boolean): Promise<void> {
    await this.connection.write(() => {
      this.connection.statement('UPDATE models SET enabled = ? WHERE name = ?').run(enabled ? 1 : 0, name);
    });
  }

  /** Stores the thinking level of a model. Does nothing if the model is unknown. */
  async setThink(name: string, think: ThinkValue | null): Promise<void> {
    await this.connection.write(() => {
      this.connection.statement('UPDATE models SET think = ? WHERE name = ?').run(stored(think), name);
    });
  }
}

function stored(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

const fetchedAtKey = 'models_fetched_at';

function windowKey(digest: string): string {
  return `context_window:${digest}`;
}

function tokenLengthKey(digest: string): string {
  return `token_length:${digest}`;
}

function windowFrom(text: string | undefined): ChosenWindow | undefined {
  const { tokens, contextWindow, maxContextWindow } = parsedRecord(text) ?? {};
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens) || tokens <= 0) return undefined;
  if (typeof contextWindow !== 'number' || typeof maxContextWindow !== 'number') return undefined;
  return { tokens, contextWindow, maxContextWindow };
}

const insertSql = `
  INSERT OR REPLACE INTO models
    (name, digest, size, family, parameter_size, quantization_level, capabilities, context_length, stop, enabled,
     thinking, think, families, modified_at, own_options, fetched_at)
  VALUES
    (:name, :digest, :size, :family, :parameterSize, :quantization, :capabilities, :contextLength, :stop, :enabled,
     :thinking, :think, :families, :modifiedAt, :ownOptions, :fetchedAt)`;

/** Ollama's name for each capability. */
const words: Record<keyof ModelCapabilities, string> = {
  chat: 'completion',
  fim: 'insert',
  tools: 'tools',
  vision: 'vision',
  embedding: 'embedding',
  thinking: 'thinking',
};

function listCapabilities(capabilities: ModelCapabilities): string[] {
  return listKeys(words)
    .filter((key) => capabilities[key])
    .map((key) => words[key]);
}

// Validate without a schema: every window reads the list at startup, and loading schemas would take most of the time.

/** Creates a model from a row. The table is STRICT, so a value of another type means damage. */
function toModel(row: Record<string, unknown>): ModelInfo {
  const capabilities = parseList(text(row, 'capabilities'));
  const has = (key: keyof ModelCapabilities) => capabilities.includes(words[key]);
  return {
    name: text(row, 'name'),
    digest: text(row, 'digest'),
    size: number(row, 'size'),
    family: row['family'] === null ? null : text(row, 'family'),
    parameterSize: row['parameter_size'] === null ? null : text(row, 'parameter_size'),
    quantization: row['quantization_level'] === null ? null : text(row, 'quantization_level'),
    capabilities: {
      chat: has('chat'),
      fim: has('fim'),
      tools: has('tools'),
      vision: has('vision'),
      embedding: has('embedding'),
      thinking: has('thinking'),
    },
    contextLength: row['context_length'] === null ? null : number(row, 'context_length'),
    stop: parseList(text(row, 'stop')),
    ownOptions: row['own_options'] === null ? null : parseList(text(row, 'own_options')),
    enabled: number(row, 'enabled') === 1,
    thinking: readLevels(parseColumn(row, 'thinking')),
    think: readThink(parseColumn(row, 'think')),
    families: row['families'] === null ? [] : parseList(text(row, 'families')),
    modifiedAt: row['modified_at'] === null ? null : text(row, 'modified_at'),
  };
}

function readLevels(value: unknown): ThinkingLevels | null {
  const { values, default: usual } = (value ?? {}) as Partial<ThinkingLevels>;
  return Array.isArray(values) ? { values, default: readThink(usual) } : null;
}

function parseColumn(row: Record<string, unknown>, column: string): unknown {
  return row[column] === null ? null : parsedJson(text(row, column));
}

function readThink(value: unknown): ThinkValue | null {
  return typeof value === 'boolean' || typeof value === 'string' ? value : null;
}

function text(row: Record<string, unknown>, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`models.${column} is no text`);
  return value;
}

function number(row: Record<string, unknown>, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`models.${column} is no number`);
  return value;
}

/** Parses a list. If it is damaged, the list is empty until the next refresh. */
function parseList(json: string): string[] {
  const value = parsedJson(json);
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : [];
}

function listKeys<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[];
}
