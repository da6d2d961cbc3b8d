import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseFileName, inspectDatabaseFile } from '../../src/services/database/sqlite/databaseFile';
import { shareStorage } from '../../src/services/database/sqlite/storageLease';
import { startExtension } from '../support/editorDouble';
import { many, median, report, type Goal } from './support/figures';

/**
 * What starting costs a window, each time in a process of its own: the bundle is loaded and `activate` runs until the status bar
 * names the model that the database remembers, beside opening the same database with SQLite's locks and checks and nothing else. Then what the
 * first view waits for. The built extension in `dist/` is measured.
 */

const extension = path.join(__dirname, '../../../dist/extension.js');
const rounds = many(25);

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

/** Milliseconds: on the clock, and of the processor for the host's thread alone, which a busy machine hardly changes. */
interface Cost {
  clock: number;
  thread: number;
}

interface Start {
  /** Loading the bundle and calling `activate`: what holds the window's other extensions up. */
  call: Cost;
  /** Until the database is open and the status bar names the model. */
  ready: Cost;
  /** From then on: a view comes up and gets its first answer. */
  view: Cost;
}

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  try {
    // Only here: what the measured processes load of their own fills the memory that is cleared while they are measured.
    const { keepModel, openService } = await import('./support/history');
    const service = openService(directory);
    await service.initialize();
    await keepModel(service);
    await service.dispose();
    // The code cache is there after a start that has lasted a while; each other start ends before it would be written.
    const first = Array.from({ length: rounds }, () => probe<Start>('extension', directory));
    probe<Start>('lasting', directory);
    const starts: Start[] = [];
    const opens: Cost[] = [];
    for (let round = 0; round < rounds; round += 1) {
      starts.push(probe<Start>('extension', directory));
      opens.push(probe<Cost>('sqlite', directory));
    }
    const told = (name: string, costs: Cost[], where: keyof Cost, without: number, goal: Goal) => {
      const open = median(opens.map((cost) => cost[where]));
      report('activation', name, 'ms', median(costs.map((cost) => cost[where])) - without * open, open, goal);
    };
    const ready = starts.map((start) => start.ready);
    told('until ready, without opening SQLite', ready, 'clock', 1, 'value ≤ 10');
    told(
      'the same after an update, without the code cache',
      first.map((start) => start.ready),
      'clock',
      1,
      'value ≤ 20',
    );
    told('the same in the time of the thread', ready, 'thread', 1, 'value ≤ 10');
    told(
      'load and activate()',
      starts.map((start) => start.call),
      'clock',
      0,
      'value ≤ 10',
    );
    told(
      'the first answer to a view',
      starts.map((start) => start.view),
      'clock',
      0,
      'value ≤ 100',
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function probe<T>(what: string, directory: string): T {
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', __filename, what, directory], { encoding: 'utf8' })) as T;
}

function measureStart(directory: string, lastsMs: number): void {
  const load = createRequire(__filename);
  for (const name of loadedBefore) load(name);
  const settings = { baseUrl: 'http://127.0.0.1:9', storagePath: directory, 'agentMode.temperature': 0.3 };
  collectGarbage();
  const sinceStart = stopwatch();
  const { providers } = startExtension({ extension, isInstalled: true, directory, settings }, () => {
    const ready = sinceStart();
    const sinceShown = stopwatch();
    void providers[0]?.resolveWebviewView(viewThat(() => setTimeout(finish, lastsMs, { call, ready, view: sinceShown() })));
  });
  const call = sinceStart();
}

/** What this process has left of its own start: else all of that is collected within what is measured. */
function collectGarbage(): void {
  // The second moves what has survived the first out of the young generation.
  for (let round = 0; round < 2; round += 1) globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** Call what comes back for what it has cost since. */
function stopwatch(): () => Cost {
  const used = process.threadCpuUsage();
  const start = performance.now();
  return () => {
    const clock = performance.now() - start;
    const { user, system } = process.threadCpuUsage(used);
    return { clock, thread: (user + system) / 1000 };
  };
}

/** A view that asks for what it needs to show itself as soon as it may. */
function viewThat(onAnswer: () => void) {
  return {
    visible: true,
    onDidDispose: () => undefined,
    webview: {
      ...{ options: {}, html: '', cspSource: '' },
      asWebviewUri: (uri: unknown) => uri,
      postMessage: async (message: { t: string }) => {
        if (message.t === 's') onAnswer();
        return Promise.resolve(true);
      },
      onDidReceiveMessage: (listener: (message: unknown) => void) => listener({ t: 'q', i: '1', m: 'ready', a: [{}] }),
    },
  };
}

/** What SQLite costs in a start, in the file that the extension made: the lock that says it is in use, the look before it is written, the connection. */
function openSqlite(directory: string): void {
  collectGarbage();
  const since = stopwatch();
  const file = path.join(directory, databaseFileName);
  shareStorage(directory);
  inspectDatabaseFile(file);
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 5 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  database.prepare('SELECT * FROM models').all();
  finish(since());
}

function finish(result: unknown): void {
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
}

const [what, directory] = process.argv.slice(2);
if (directory === undefined) void main();
else if (what === 'extension') measureStart(directory, 0);
else if (what === 'lasting') measureStart(directory, 10_000);
else openSqlite(directory);
