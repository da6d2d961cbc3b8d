import { openSqlite } from '../../../../src/services/database/sqlite';

/** `locker <file>`: holds the write lock until it is told to let go. */
const database = openSqlite(process.argv[2] ?? '');
database.exec('BEGIN IMMEDIATE');
process.send?.('locked');
process.once('message', () => {
  database.exec('COMMIT');
  database.close();
  process.disconnect?.();
});
