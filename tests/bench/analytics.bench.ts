import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseFileName } from '../../src/services/database/sqlite/databaseFile';
import { openSqlite } from '../../src/services/database/sqlite/sqlite';
import { large, many, median, report } from './support/figures';
import { openService } from './support/history';

/** Reads the figures of the Analytics page for a simulated year: one million tool calls in two thousand sessions. */
const sessions = large(2_000);
const calls = 500;
const dayMs = 86_400_000;
const rounds = many(7);

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  const today = Math.floor(Date.now() / dayMs);
  try {
    const made = openService(directory);
    await made.initialize();
    for (let session = 0; session < sessions; session += 1)
      await made.sessions.create({ mode: 'agent', model: 'worker', title: `Session ${session}`, projectPath: null });
    await made.dispose();
    const file = path.join(directory, databaseFileName);
    const filled = fill(file, today);
    const database = openService(directory);
    await database.initialize();
    const first = await timed(() => database.statistics(today - 365));
    const later: number[] = [];
    for (let round = 0; round < rounds; round += 1) later.push(await timed(() => database.statistics(today - 365)));
    const raw = await timed(async () => Promise.resolve(countRaw(file)));
    await database.dispose();
    report('analytics', 'figures of a year, 1,000,000 calls, first time', 'ms', first, raw, 'value ≤ 300');
    report('analytics', 'figures of a year, p50, beside counting the calls themselves', 'ms', median(later), raw, 'value ≤ 300');
    report('analytics', 'one call more, with its day counted', 'µs', (filled * 1000) / (sessions * calls), 1, 'none');
    report('analytics', 'database', 'MB', statSync(file).size / 1e6, 1, 'none');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Inserts the calls in one transaction. Returns the milliseconds. */
function fill(file: string, today: number): number {
  const database = openSqlite(file);
  const ids = database.prepare('SELECT id FROM sessions').all();
  const tools = [
    'read_file',
    'search_workspace',
    'replace_in_file',
    'run_terminal_command',
    'list_files',
    'create_file',
    'files__read',
  ];
  const call = database.prepare(
    'INSERT INTO tool_events (session_id, tool_name, model, duration_ms, success, error_type, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const start = performance.now();
  database.exec('BEGIN');
  for (const [index, { id }] of ids.entries())
    for (let at = 0; at < calls; at += 1) {
      const isGood = at % 9 !== 0;
      const day = today - ((index * 7 + at) % 365);
      call.run(
        id ?? null,
        tools[at % tools.length] ?? '',
        'worker',
        (at * 37) % 4000,
        isGood ? 1 : 0,
        isGood ? null : 'tool_error',
        day * dayMs,
      );
    }
  const answer = database.prepare(
    `INSERT INTO answer_days (day, model, answers, prompt_tokens, answer_tokens, firsts, first_ms, timed_tokens, answer_ms)
     VALUES (?, ?, 90, 400000, 30000, 90, 40000, 30000, 900000)`,
  );
  for (let day = 0; day < 365; day += 1) for (const model of ['worker', 'coder', 'small']) answer.run(today - day, model);
  database.exec('COMMIT');
  database.close();
  return performance.now() - start;
}

/** Counts as a page without daily totals does. */
function countRaw(file: string): number {
  const database = openSqlite(file);
  const { length } = database
    .prepare(
      'SELECT created_at / 86400000 AS day, tool_name, count(*), sum(success), avg(duration_ms) FROM tool_events GROUP BY 1, 2',
    )
    .all();
  database.close();
  return length;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

void main();
