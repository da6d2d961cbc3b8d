import { readFileSync } from 'node:fs';
import type { SqlJsStatic } from 'sql.js';

/** Loads SQLite in WebAssembly from `wasmPath` on first use. A malicious database can only affect the WebAssembly sandbox. */
export async function loadSqlJs(wasmPath: string): Promise<SqlJsStatic> {
  const { default: initSqlJs } = await import('sql.js');
  const code = readFileSync(wasmPath);
  return initSqlJs({ wasmBinary: Uint8Array.from(code).buffer });
}
