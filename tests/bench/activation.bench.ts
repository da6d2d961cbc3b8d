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
 * Measures the startup cost in a window, each time in a new process. The bundle is loaded and `activate` runs until the status bar shows
 * the model stored in the database. The baseline only opens the same database with SQLite's locks and checks. Then measures the time until
 * the first view gets its first response. Uses the built extension in `dist/`.
 */

const extension = path.join(__dirname, '../../../dist/extension.js');
const rounds = many(25);

/** Node modules that every extension host has loaded before it loads an extension. */
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

/** Milliseconds of wall-clock time, and of CPU time of the host's thread, which hardly depends on the load of the machine. */
interface Cost {
  clock: number;
  thread: number;
}

interface Start {
  /** Loads the bundle and calls `activate`, which blocks the other extensions of the window. */
  call: Cost;
  /** Until the database is open and the status bar names the model. */
  ready: Cost;
  /** From `ready` until a new view gets its first response. */
  view: Cost;
}

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  try {
    // Imported only here: the measured processes would otherwise load it too, and its memory would be collected during the measurement.
    const { keepModel, openService } = await import('./support/history');
    const service = openService(directory);
    await service.initialize();
    await keepModel(service);
    await service.dispose();
    // The code cache is written only by a start that lasts a while. All other starts end before that.
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

/** Collects the garbage of this process's own start, which would otherwise be collected during the measurement. */
function collectGarbage(): void {
  // The second collection moves objects that survived the first one out of the young generation.
  for (let round = 0; round < 2; round += 1) globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** Starts a stopwatch. The returned function reports the cost since the start. */
function stopwatch(): () => Cost {
  const used = process.threadCpuUsage();
  const start = performance.now();
  return () => {
    const clock = performance.now() - start;
    const { user, system } = process.threadCpuUsage(used);
    return { clock, thread: (user + system) / 1000 };
  };
}

/** Returns a view that requests its initial data as soon as it can. */
function viewThat(onAnswer: () => void) {
  return {
    visible: true,
    onDidDispose: () => undefined,
    webview: {
      options: {},
      html: '',
      cspSource: '',
      asWebviewUri: (uri: unknown) => uri,
      postMessage: async (message: { t: string }) => {
        if (message.t === 's') onAnswer();
        return Promise.resolve(true);
      },
      onDidReceiveMessage: (listener: (message: unknown) => void) => listener({ t: 'q', i: '1', m: 'ready', a: [{}] }),
    },
  };
}

/**
 * Measures the cost of SQLite in a start, on the extension's own file: the
 * lock for a file in use, the check before writing, and the connection.
 */
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
