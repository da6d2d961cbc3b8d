import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import initSqlJs from 'sql.js';
import { databaseFileName } from '../../../../src/services/database/databaseFile';
import { openSqlite } from '../../../../src/services/database/sqlite';

const sqlJs = initSqlJs({ locateFile: (name) => path.join(path.dirname(require.resolve('sql.js')), name) });

/**
 * What another build of SQLite says of a storage's database: whether it is whole, and the content of each entry by its id. It reads no `-wal`,
 * so a copy is made and moved into one file first.
 */
export async function independentCheck(storage: string): Promise<{ answer: unknown; entries: Map<string, string> }> {
  const copy = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-copy-'));
  try {
    const file = path.join(copy, databaseFileName);
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(path.join(storage, databaseFileName + suffix)))
        copyFileSync(path.join(storage, databaseFileName + suffix), file + suffix);
    }
    const database = openSqlite(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
    database.close();
    const { Database } = await sqlJs;
    const independent = new Database(readFileSync(file));
    try {
      const [answer] = independent.exec('PRAGMA integrity_check');
      const [messages] = independent.exec('SELECT id, content FROM messages');
      const entries = (messages?.values ?? []).map(([id, content]): [string, string] => [String(id), String(content)]);
      return { answer: answer?.values, entries: new Map(entries) };
    } finally {
      independent.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
