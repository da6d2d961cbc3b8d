import { readFileSync } from 'node:fs';
import type { SqlJsStatic } from 'sql.js';

/** Loads SQLite in WebAssembly on first use, so that a malicious file stays in its sandbox. `wasmPath` is its code. */
export async function loadSqlJs(wasmPath: string): Promise<SqlJsStatic> {
  const { default: initSqlJs } = await import('sql.js');
  const code = readFileSync(wasmPath);
  return initSqlJs({ wasmBinary: Uint8Array.from(code).buffer });
}
