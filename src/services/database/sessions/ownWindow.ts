import type { Connection } from '../sqlite/connection';
import { metaValue, setMeta } from '../sqlite/meta';

/** Returns the context window that the user chose for a model, in tokens. Returns null if there is none. Call this in a read. */
export function readOwnWindow(connection: Connection, digest: string): number | null {
  const tokens = Number(metaValue(connection, createKey(digest)));
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : null;
}

/** Stores the context window. With null, the settings apply again. Call this in a write. */
export function setOwnWindow(connection: Connection, digest: string, tokens: number | null): void {
  setMeta(connection, createKey(digest), tokens === null ? '' : String(tokens));
}

function createKey(digest: string): string {
  return `own_window:${digest}`;
}
