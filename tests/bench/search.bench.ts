import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { databaseFileName } from '../../src/services/database/sqlite/databaseFile';
import type { DatabaseService } from '../../src/services/database/databaseService';
import { openSqlite, type DatabaseSync } from '../../src/services/database/sqlite/sqlite';
import { interleaved, isOnce, large, median, report } from './support/figures';
import { openService, prefillSessions } from './support/history';

/**
 * Measures one search through the product, with its worker and snippets, among 100,000 entries in 500 sessions: for a word in all entries
 * and for a word in ten of them. The baseline reads every text with `LIKE`.
 */

const rounds = 60;

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  try {
    await prefillSessions(directory, large(500), 200);
    const service = openService(directory);
    await service.initialize();
    const database = openSqlite(path.join(directory, databaseFileName), { readOnly: true });
    await indexAll(service, database);
    const read = (word: string) => () =>
      database.prepare(`SELECT DISTINCT session_id FROM messages WHERE content LIKE '%${word}%' LIMIT 50`).all();
    const search = (query: string, newestFirst: boolean) => () => service.search({ query, newestFirst, offset: 0, limit: 50 });
    const [rare = [], rareNewest = [], common = [], commonNewest = [], begun = [], phrase = []] = await interleaved(rounds, [
      search('rareword', false),
      search('rareword', true),
      search('common', false),
      search('common', true),
      search('comm', false),
      search('"common word" -rareword', false),
    ]);
    const [readRare = []] = await interleaved(5, [read('rareword')]);
    report('search', 'rare word, best first', 'ms', median(rare), median(readRare), 'value ≤ 1');
    report('search', 'rare word, newest first', 'ms', median(rareNewest), median(readRare), 'value ≤ 1');
    report('search', 'commonest word, best first', 'ms', median(common), median(readRare), 'value ≤ 20');
    report('search', 'commonest word, newest first', 'ms', median(commonNewest), median(readRare), 'value ≤ 20');
    report('search', 'beginning of the commonest word', 'ms', median(begun), median(readRare), 'value ≤ 40');
    report('search', 'phrase without a word', 'ms', median(phrase), median(readRare), 'value ≤ 40');
    database.close();
    await service.dispose();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Waits until the index is complete and its parts are merged in the background, as they are some seconds after each start. */
async function indexAll(service: DatabaseService, database: DatabaseSync): Promise<void> {
  while (!(await service.search({ query: 'common', offset: 0, limit: 1 })).isComplete);
  const parts = database.prepare('SELECT count(DISTINCT segid) AS n FROM messages_fts_idx');
  // A small index may keep several parts.
  while (!isOnce && Number(parts.get()?.['n']) > 1) await setTimeout(200);
}

void main();
