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
