import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseFileName } from '../../src/services/database/databaseFile';
import { shownModel, startExtension } from '../support/editorDouble';
import { median, report } from './support/figures';
import { openService } from './support/history';

/**
 * What starting costs a window, each time in a process of its own: the bundle is loaded and `activate` runs until the status bar
 * names the model that the database remembers, beside reading the same database with `node:sqlite` and nothing else. Then what the
 * first view waits for. The built extension in `dist/` is measured.
 */

const extension = path.join(__dirname, '../../../dist/extension.js');
const rounds = 25;

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
  /** Until the database is open and the status bar names the model. */
  ready: number;
  /** From then on: a view comes up and gets its first answer. */
  view: number;
}

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  try {
    await keepModel(directory);
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
    const view = median(starts.map((start) => start.view));
    report('activation', 'until ready, without opening SQLite', 'ms', ready - open, open, 'value ≤ 10');
    report('activation', 'load and activate()', 'ms', call, open, 'value ≤ 10');
    report('activation', 'the first answer to a view', 'ms', view, open, 'value ≤ 100');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function keepModel(directory: string): Promise<void> {
  const service = openService(directory);
  await service.initialize();
  const capabilities = { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: true };
  const about = { digest: 'd', size: 9, family: 'qwen3', parameterSize: '14B', quantization: 'Q4_K_M', contextLength: 40_960 };
  await service.models.save([{ name: shownModel, ...about, capabilities, stop: [], enabled: true }]);
  await service.dispose();
}

function probe<T>(what: string, directory: string): T {
  return JSON.parse(execFileSync(process.execPath, [__filename, what, directory], { encoding: 'utf8' })) as T;
}

function measureStart(directory: string): void {
  const load = createRequire(__filename);
  for (const name of loadedBefore) load(name);
  const settings = { baseUrl: 'http://127.0.0.1:9', storagePath: directory, 'agentMode.temperature': 0.3 };
  let call = 0;
  const start = performance.now();
  const { providers } = startExtension({ extension, directory, settings }, () => {
    const ready = performance.now() - start;
    const shown = performance.now();
    providers[0]?.resolveWebviewView(viewThat(() => finish({ call, ready, view: performance.now() - shown })));
  });
  call = performance.now() - start;
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

/** As the extension does it, in the file that it made. */
function openSqlite(directory: string): void {
  const start = performance.now();
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path.join(directory, databaseFileName), { timeout: 5 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  database.prepare('SELECT * FROM models').all();
  finish(performance.now() - start);
}

function finish(result: unknown): void {
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
}

const [what, directory] = process.argv.slice(2);
if (directory === undefined) void main();
else if (what === 'extension') measureStart(directory);
else openSqlite(directory);
