import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseFileName } from '../../src/services/database/databaseFile';
import { editorDouble } from './support/editorDouble';
import { median, report } from './support/figures';

/**
 * What starting costs a window, each time in a process of its own: the bundle is loaded and `activate` runs until the status bar
 * is there, beside opening the same database with `node:sqlite` and nothing else. The built extension in `dist/` is measured.
 */

const extension = path.join(__dirname, '../../../dist/extension.js');
const rounds = 15;

/** Modules of Node that every extension host has loaded before it loads an extension. */
const loadedBefore = [
  'http',
  'https',
  'zlib',
  'worker_threads',
  'child_process',
  'crypto',
  'fs/promises',
  'stream',
  'util',
  'timers',
];

interface Start {
  /** Loading the bundle and calling `activate`: what holds the window's other extensions up. */
  call: number;
  /** Until the database is open and the status bar shows. */
  ready: number;
}

function main(): void {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  try {
    probe<Start>('extension', directory);
    const starts: Start[] = [];
    const opens: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      starts.push(probe<Start>('extension', directory));
      opens.push(probe<number>('sqlite', directory));
    }
    const open = median(opens);
    const ready = median(starts.map((start) => start.ready));
    const call = median(starts.map((start) => start.call));
    report('activation', 'until ready, without opening SQLite', 'ms', ready - open, open, 'value ≤ 10');
    report('activation', 'load and activate()', 'ms', call, open, 'value ≤ 10');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function probe<T>(what: string, directory: string): T {
  return JSON.parse(execFileSync(process.execPath, [__filename, what, directory], { encoding: 'utf8' })) as T;
}

function startExtension(directory: string): void {
  const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
  const original = loader._load.bind(loader);
  const load = createRequire(__filename);
  for (const name of loadedBefore) load(name);
  let start = 0;
  let call = 0;
  const double = editorDouble(() => finish({ call, ready: performance.now() - start }));
  loader._load = (request, ...rest) => (request === 'vscode' ? double.vscode : original(request, ...rest));
  start = performance.now();
  const entry = load(extension) as { activate(context: unknown): void };
  entry.activate(double.context(directory));
  call = performance.now() - start;
}

/** As the extension does it, in the file that it made. */
function openSqlite(directory: string): void {
  const start = performance.now();
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path.join(directory, databaseFileName), { timeout: 5 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  database.prepare('SELECT count(*) FROM sessions').get();
  finish(performance.now() - start);
}

function finish(result: unknown): void {
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
}

const [what, directory] = process.argv.slice(2);
if (directory === undefined) main();
else if (what === 'extension') startExtension(directory);
else openSqlite(directory);
