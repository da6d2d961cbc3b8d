import type { Statements } from './sqlite';

/** Reads a value of `meta`; undefined where there is none. */
export function metaValue(statements: Statements, key: string): string | undefined {
  const value = statements.statement('SELECT value FROM meta WHERE key = ?').get(key)?.['value'];
  return value === undefined ? undefined : String(value);
}

/** Sets a value of `meta`. Call it inside a write transaction. */
export function setMeta(statements: Statements, key: string, value: string): void {
  statements.statement('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
}
