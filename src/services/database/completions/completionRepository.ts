import { parsedRecord } from '../../../utils/json';
import type { Connection } from '../sqlite/connection';
import { metaValue, setMeta } from '../sqlite/meta';

/** Result of a self-test. See `completion/models/selfTest.ts`. */
interface StoredVerdict {
  can: boolean;
  wrong: { answered: string; wanted: string } | null;
  testedAt: number;
}

/** Stores data about completion models. Every method throws `StorageError`. */
export class CompletionRepository {
  constructor(private readonly connection: Connection) {}

  /** Reads the self-test result of a model. Returns undefined if it is missing or unreadable. */
  readVerdict(key: string): Promise<StoredVerdict | undefined> {
    return this.connection.read(() => verdictFrom(metaValue(this.connection, verdictKey(key))));
  }

  async keepVerdict(key: string, verdict: StoredVerdict): Promise<void> {
    await this.connection.write(() => setMeta(this.connection, verdictKey(key), JSON.stringify(verdict)));
  }

  /** Adds to the counts of a day (`2026-11-23`) and model. Other windows add to the same counts. */
  async addCounts(day: string, model: string, counts: Readonly<Record<string, number>>): Promise<void> {
    await this.connection.write(() => {
      const models = (parsedRecord(metaValue(this.connection, dayKey(day))) ?? {}) as Record<string, Record<string, number>>;
      const before = models[model] ?? {};
      models[model] = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, (before[name] ?? 0) + count]));
      setMeta(this.connection, dayKey(day), JSON.stringify(models));
    });
  }

  /** Reads the counts per model of all days from `day` on. */
  countsSince(day: string): Promise<{ day: string; model: string; counts: Record<string, unknown> }[]> {
    return this.connection.read(() => {
      const statement = this.connection.statement('SELECT key, value FROM meta WHERE key >= ? AND key < ? ORDER BY key');
      const rows = statement.all(dayKey(day), dayKey(':'));
      return rows.flatMap(({ key, value }) =>
        Object.entries(parsedRecord(value) ?? {}).map(([model, counts]) => {
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

function verdictFrom(text: string | undefined): StoredVerdict | undefined {
  const { can, wrong, testedAt } = parsedRecord(text) ?? {};
  if (typeof can !== 'boolean' || typeof testedAt !== 'number') return undefined;
  const { answered, wanted } = (wrong ?? {}) as Record<string, unknown>;
  const isTold = typeof answered === 'string' && typeof wanted === 'string';
  return { can, testedAt, wrong: isTold ? { answered, wanted } : null };
}
