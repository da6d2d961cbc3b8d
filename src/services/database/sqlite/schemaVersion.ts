import type { DatabaseSync } from './sqlite';
import { StorageError } from './storageError';

/** The `user_version` this build writes: how many migrations there are. They are loaded where there is one to apply. */
export const newestVersion = 22;

/** Returns the version of a database; 0 if there is nothing in it yet. */
export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** Throws `StorageError` `newer`. */
export function isMigrated(database: DatabaseSync): boolean {
  const version = versionOf(database);
  if (version > newestVersion) throw new StorageError('newer', `Version ${version} is newer than ${newestVersion}`);
  return version === newestVersion;
}
