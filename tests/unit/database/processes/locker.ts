import { openSqlite } from '../../../../src/services/database/sqlite/sqlite';

/** `locker <file> [exclusive]`: holds the write lock until it gets a message. `exclusive` also blocks readers. */
const [, , file = '', kind] = process.argv;
const database = openSqlite(file);
if (kind === 'exclusive') database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
else database.exec('BEGIN IMMEDIATE');
process.send?.('locked');
process.once('message', () => {
  database.exec('COMMIT');
  database.close();
  process.disconnect?.();
});
