import type { Statements } from './sqlite';

/** Reads a value of `meta`. Returns undefined if it is missing. */
export function metaValue(statements: Statements, key: string): string | undefined {
  const value = statements.statement('SELECT value FROM meta WHERE key = ?').get(key)?.['value'];
  return value === undefined ? undefined : String(value);
}

/** Reads the values of `meta` whose keys begin with `prefix`. The keys of the result do not include the prefix. */
export function metaValues(statements: Statements, prefix: string): Map<string, string> {
  const rows = statements.statement('SELECT key, value FROM meta WHERE key >= ? AND key < ?').all(prefix, `${prefix}\u{10ffff}`);
  return new Map(rows.map(({ key, value }) => [String(key).slice(prefix.length), String(value)]));
}

/** Sets a value of `meta`. Call this inside a write transaction. */
export function setMeta(statements: Statements, key: string, value: string): void {
  statements.statement('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
}
