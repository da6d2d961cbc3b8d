import { renameSync } from 'node:fs';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import type { Logger } from '../../../utils/logger';
import { markClosed } from './databaseFile';
import type { OpenFile } from './openFile';
import { openSqlite, type DatabaseSync } from './sqlite';

/** Open database that is no longer used, and its lease. */
export interface AbandonedDatabase {
  database: DatabaseSync;
  file: string;
  lease: Disposable | null;
  openFile: OpenFile | null;
}

/** References that keep the JavaScript garbage collector from closing databases and leases before the process ends. */
const neverClosed: unknown[] = [];

/**
 * Closes a damaged database without changing it. Normally, the last connection to close checkpoints the `-wal` file.
 * A read-only connection that closes later prevents this. Returns false if the database and its lease stay open.
 */
export function closeUnchanged({ database, file, lease }: AbandonedDatabase, logger: Logger): boolean {
  try {
    const shield = openSqlite(file, { readOnly: true, timeout: 5 });
    try {
      shield.prepare('PRAGMA schema_version').get();
      database.close();
    } finally {
      shield.close();
    }
    markClosed(file);
    return true;
  } catch (error) {
    // Keep the lease too, so that the open file is not moved.
    neverClosed.push(database, lease);
    logger.error('The damaged database stays open until the window closes', error);
    return false;
  }
}

/**
 * Copies a replaced database to the backup folder. The database and its lease stay open until the process
 * ends, because closing would delete the `-wal` file at this path, which may belong to the other file.
 * Renames the database's own `-wal` file, because it would damage the other database. Never rejects.
 */
export async function copyReplaced(
  { database, file, lease, openFile }: AbandonedDatabase,
  { directory, clock, logger }: { directory: string; clock: Clock; logger: Logger },
): Promise<void> {
  neverClosed.push(database, lease);
  try {
    const { backUpReplaced } = await import(/* webpackChunkName: "upkeep" */ '../upkeep/upkeep');
    const copy = await backUpReplaced(database, directory, clock.now());
    logger.warn(`The replaced database was copied to ${copy}`);
    if (openFile?.hasStrayLog()) renameSync(`${file}-wal`, `${copy}.wal`);
  } catch (error) {
    logger.error('The replaced database could not be copied', error);
  }
}
