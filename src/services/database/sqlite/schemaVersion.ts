import type { DatabaseSync } from './sqlite';
import { StorageError } from './storageError';

/** `user_version` of this build: the number of migrations. The migrations themselves are loaded only when needed. */
export const newestVersion = 27;

/** Returns the version of a database, or 0 if it is empty. */
export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** Throws `StorageError` `newer`. */
export function isMigrated(database: DatabaseSync): boolean {
  const version = readVersion(database);
  if (version > newestVersion) throw new StorageError('newer', `Version ${version} is newer than ${newestVersion}`);
  return version === newestVersion;
}
