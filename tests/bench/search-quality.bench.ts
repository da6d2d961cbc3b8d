import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Codebase } from '../../src/services/codebase/codebase';
import type { WorkspaceFind } from '../../src/services/codebase/codebaseTypes';
import { Embedder } from '../../src/services/codebase/embedding/embedder';
import { OllamaClient } from '../../src/services/model/client/ollamaClient';
import { ServerArbiter } from '../../src/services/model/serverArbiter';
import { systemClock } from '../../src/utils/clock';
import { silentLogger } from '../../src/utils/logger';
import { repository } from '../support/vscode/location';
import { large, report } from './support/figures';
import { buildSet, type Question, type QuestionKind } from './support/qualitySet';

/**
 * Measures recall@10 and MRR of our own questions about this repository and packages, without doc comments in the index. Searches by words,
 * and with `OLLAMA_HOST` and `BENCH_EMBEDDING_MODEL` also by meaning and by both. The baseline searches lines for the words, as grep does.
 * `BENCH_DIRECTORY` keeps the index, so that another run only has to embed the questions.
 */

const workerPath = path.join(__dirname, '../../src/services/codebase/codebaseWorker.js');
const sources = [
  'src/services',
  'src/agent',
  'src/completion',
  'src/utils',
  'node_modules/zod/src/v4/core',
  'node_modules/undici/lib',
  'node_modules/commander/lib',
  'node_modules/ws/lib',
  'node_modules/mocha/lib',
];
const kinds: QuestionKind[] = ['doc comment → function', 'name in words → definition', 'commit message → files'];
type Way = (question: Question) => Promise<{ path: string; first: number; last: number }[]>;

async function main(): Promise<void> {
  const kept = process.env['BENCH_DIRECTORY'];
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const root = realpathSync(kept ?? mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-')));
  const folder = path.join(root, 'workspace');
  mkdirSync(folder, { recursive: true });
  try {
    const size = {
      files: Number(process.env['BENCH_FILES'] ?? large(5_000)),
      questions: Number(process.env['BENCH_QUESTIONS'] ?? large(300)),
    };
    const questions = buildSet(repository, sources.filter(exists), folder, size);
    let model = '';
    const host = process.env['OLLAMA_HOST'];
    const codebase = open(root, folder, host, () => model);
    await codebase.settled();
    const grep = await measured(questions, greps(folder));
    const words = await measured(questions, (question) => find(codebase, question.text));
    const rows: [string, Scores][] = [['words', words]];
    if (host !== undefined) {
      model = process.env['BENCH_EMBEDDING_MODEL'] ?? 'all-minilm';
      await codebase.embed();
      rows.push(['hybrid', await measured(questions, (question) => find(codebase, question.text))]);
      rows.push([
        'meaning',
        await measured(questions, async ({ text }) => (await codebase.find(text, 10, never, 'meaning')).finds),
      ]);
    }
    for (const { state } of await codebase.states())
      report('search-quality', 'chunks', 'chunks', state.chunks, questions.length, 'none');
    for (const [way, scores] of rows) {
      for (const kind of [...kinds, 'all'] as const) {
        const own = scores.get(kind);
        const base = grep.get(kind);
        if (own === undefined || base === undefined) continue;
        const goal = way === 'hybrid' && kind === 'doc comment → function' ? 'value ≥ 0.9' : 'none';
        report('search-quality', `${way}: recall@10, ${kind}`, '', own.recall, base.recall, goal);
        report('search-quality', `${way}: MRR, ${kind}`, '', own.rank, base.rank, 'none');
      }
    }
    await codebase.dispose();
  } finally {
    if (kept === undefined) rmSync(root, { recursive: true, force: true });
  }
}

const never = new AbortController().signal;
type Scores = Map<QuestionKind | 'all', { recall: number; rank: number }>;

async function measured(questions: readonly Question[], way: Way): Promise<Scores> {
  const sums = new Map<QuestionKind | 'all', { recall: number; rank: number; count: number }>();
  for (const question of questions) {
    const found = (await way(question)).slice(0, 10);
    const at = found.findIndex(
      ({ path: file, first, last }) =>
        question.files.includes(file) && (question.line === null || (first <= question.line && question.line <= last)),
    );
    for (const kind of [question.kind, 'all'] as const) {
      const sum = sums.get(kind) ?? { recall: 0, rank: 0, count: 0 };
      sums.set(kind, {
        recall: sum.recall + (at >= 0 ? 1 : 0),
        rank: sum.rank + (at >= 0 ? 1 / (at + 1) : 0),
        count: sum.count + 1,
      });
    }
  }
  return new Map([...sums].map(([kind, { recall, rank, count }]) => [kind, { recall: recall / count, rank: rank / count }]));
}

/** Ranks chunks by how many of the question's longer words they contain, as a user does who goes through grep hits. */
function greps(folder: string): Way {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry): [string, string[]] => {
    const file = path.join(entry.parentPath, entry.name);
    return [path.relative(folder, file), readFileSync(file, 'utf8').toLowerCase().split('\n')];
  });
  return ({ text }) => {
    const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [])];
    const ranked: { path: string; first: number; last: number; score: number }[] = [];
    for (const [file, lines] of texts)
      for (let first = 0; first < lines.length; first += 40) {
        const own = lines.slice(first, first + 40).join('\n');
        const score = words.filter((word) => own.includes(word)).length;
        if (score > 0) ranked.push({ path: file, first: first + 1, last: first + 40, score });
      }
    return Promise.resolve(ranked.sort((a, b) => b.score - a.score).slice(0, 10));
  };
}

function open(root: string, folder: string, host: string | undefined, model: () => string): Codebase {
  const baseUrl = () => (host === undefined ? 'http://127.0.0.1:9' : /^https?:/.test(host) ? host : `http://${host}`);
  const client = new OllamaClient({ baseUrl, token: () => Promise.resolve(undefined), clock: systemClock, logger: silentLogger });
  const named = (name: string) => ({ ...facts, name, digest: name });
  const models = { list: () => Promise.resolve({ models: [named(model())], stale: false, fetchedAt: null }) };
  return new Codebase({
    workerPath,
    directory: path.join(root, 'codebase'),
    clock: systemClock,
    logger: silentLogger,
    roots: () => Promise.resolve([{ real: folder, shown: folder, exists: true, prefix: '' }]),
    config: () => ({ isEnabled: true, maxBytes: 10e9, sensitive: {} }),
    embedder: new Embedder(client, models, model),
    arbiter: new ServerArbiter(),
  });
}

const facts = {
  size: 1,
  family: null,
  parameterSize: null,
  quantization: null,
  contextLength: 512,
  stop: [],
  enabled: true,
  capabilities: { chat: false, fim: false, tools: false, vision: false, embedding: true, thinking: false },
};

async function find(codebase: Codebase, query: string): Promise<WorkspaceFind[]> {
  return (await codebase.find(query, 10, never)).finds;
}

function exists(source: string): boolean {
  try {
    return realpathSync(path.join(repository, source)) !== '';
  } catch {
    return false;
  }
}

void main();
