import type { Connection } from '../sqlite/connection';

/** Verdict of a self-test; see `completion/models/selfTest.ts`. */
interface StoredVerdict {
  can: boolean;
  wrong: { answered: string; wanted: string } | null;
  testedAt: number;
}

/** Keeps what is known of models that complete. Every method throws `StorageError`. */
export class CompletionRepository {
  constructor(private readonly connection: Connection) {}

  /** Reads the verdict on a model. One that cannot be read counts as not given. */
  verdictOf(key: string): Promise<StoredVerdict | undefined> {
    return this.connection.read(() => {
      const value = this.connection.statement('SELECT value FROM meta WHERE key = ?').get(verdictKey(key))?.value;
      return value === undefined ? undefined : verdictFrom(String(value));
    });
  }

  async keepVerdict(key: string, verdict: StoredVerdict): Promise<void> {
    await this.connection.write(() => {
      const statement = this.connection.statement('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
      statement.run(verdictKey(key), JSON.stringify(verdict));
    });
  }

  /** Adds counts to those of a day (`2026-11-23`) and model; other windows add to the same ones. */
  async addCounts(day: string, model: string, counts: Readonly<Record<string, number>>): Promise<void> {
    await this.connection.write(() => {
      const value = this.connection.statement('SELECT value FROM meta WHERE key = ?').get(dayKey(day))?.value;
      const models = objectFrom(String(value ?? '{}')) as Record<string, Record<string, number>>;
      const before = models[model] ?? {};
      models[model] = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, (before[name] ?? 0) + count]));
      const statement = this.connection.statement('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
      statement.run(dayKey(day), JSON.stringify(models));
    });
  }

  /** Reads the counts of every day from one on, by model. */
  countsSince(day: string): Promise<{ day: string; model: string; counts: Record<string, unknown> }[]> {
    return this.connection.read(() => {
      const statement = this.connection.statement('SELECT key, value FROM meta WHERE key >= ? AND key < ? ORDER BY key');
      const rows = statement.all(dayKey(day), dayKey(':'));
      return rows.flatMap(({ key, value }) =>
        Object.entries(objectFrom(String(value))).map(([model, counts]) => {
          const own = typeof counts === 'object' && counts !== null ? (counts as Record<string, unknown>) : {};
          return { day: String(key).slice(dayKey('').length), model, counts: own };
        }),
      );
    });
  }
}

function dayKey(day: string): string {
  return `completion_day:${day}`;
}

function verdictKey(key: string): string {
  return `completion_verdict:${key}`;
}

function verdictFrom(text: string): StoredVerdict | undefined {
  const { can, wrong, testedAt } = objectFrom(text);
  if (typeof can !== 'boolean' || typeof testedAt !== 'number') return undefined;
  const { answered, wanted } = (wrong ?? {}) as Record<string, unknown>;
  const isTold = typeof answered === 'string' && typeof wanted === 'string';
  return { can, testedAt, wrong: isTold ? { answered, wanted } : null };
}

function objectFrom(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
