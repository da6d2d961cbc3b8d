import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompletionDocument } from '../../src/completion/completionTypes';
import type { GenerateRequest } from '../../src/types/ollama';
import { OllamaDouble } from '../support/ollama/double';
import type { RecordedRequest } from '../support/ollama/doubleExchange';
import { CompletionBench } from '../unit/completion/support/completionBench';
import { makeClient } from '../unit/model/support/client';
import { isOnce, median, percentile, report } from './support/figures';
import { engineSuggester, FastClock, plainSuggester } from './support/suggesters';
import { typistReply } from './support/typistModel';
import { play, threadTime, type Recording, type Seen, type Suggester } from './support/typingSession';

/**
 * Replays a recorded session at ten times the speed: three functions, typed key by key. The model needs 50, 200 or 800 ms until its first
 * word. The baseline is a provider without a cache that sends a request 350 ms after each key.
 */
const speed = isOnce ? 200 : 10;
const recording = JSON.parse(readFileSync(path.join('tests', 'bench', 'fixtures', 'typing.json'), 'utf8')) as Recording;
const texts = recording.sections.map(({ before, text, after }) => before + text + after);
const qwen = { name: 'qwen2.5-coder:1.5b-base', architecture: 'qwen2' };
const codestral = { name: 'codestral:22b', architecture: 'llama' };

interface Session extends Seen {
  /** Share of each prompt that was not already a prefix of the previous prompt. */
  fresh: number[];
  /** All requests, including speculative ones and those that read ahead. */
  sent: number;
  /** Requests that were closed although the typed text matched their answers. */
  closedTooSoon: number;
}

async function main(): Promise<void> {
  const latencies = (process.env.LATENCIES ?? (isOnce ? '50' : '50,200,800')).split(',').map(Number);
  for (const latency of latencies) {
    const own = await session(qwen, latency, engineOn);
    const plain = await session(qwen, latency, plainOn);
    const say = (name: string) => `${name}, first word after ${latency} ms`;
    report('completions', say('requests'), 'requests', own.requests, plain.requests, 'ratio ≤ 0.333');
    report(
      'completions',
      say('speculation and reading ahead'),
      'requests',
      Math.max(0, own.sent - own.requests),
      own.requests,
      'none',
    );
    const forFree = (seen: Seen) => (100 * seen.underForFree) / seen.under;
    report('completions', say('keys under a suggestion without a request'), '%', forFree(own), forFree(plain), 'value ≥ 60');
    report('completions', say('to a suggestion, p50'), 'ms', median(own.waits), median(plain.waits), 'ratio ≤ 1');
    report(
      'completions',
      say('to a suggestion, p95'),
      'ms',
      percentile(own.waits, 0.95),
      percentile(plain.waits, 0.95),
      'ratio ≤ 1',
    );
    report('completions', say('remembered answer, p95'), 'ms', percentile(own.remembered, 0.95), 0, 'value ≤ 10');
    report('completions', say('longest that a key was held up'), 'ms', Math.max(...own.blocked), 0, 'value ≤ 8');
    report('completions', say('closed although it agreed'), 'requests', own.closedTooSoon, plain.closedTooSoon, 'value ≤ 0');
    report('completions', say('newly read of a prompt'), '%', 100 * median(own.fresh), 100 * median(plain.fresh), 'value ≤ 20');
  }
  const suffixFirst = await session(codestral, 200, engineOn);
  report('completions', 'newly read of a prompt, suffix first', '%', 100 * median(suffixFirst.fresh), 0, 'value ≤ 5');
  await overhead();
}

type Start = (double: OllamaDouble, model: typeof qwen) => { suggester: Suggester; stop: () => void };

function engineOn(double: OllamaDouble, model: typeof qwen): ReturnType<Start> {
  const bench = CompletionBench.on(double.url, new FastClock(speed));
  bench.settings.set('completionMode.model', model.name);
  return { suggester: engineSuggester(bench), stop: () => bench.engine.dispose() };
}

function plainOn(double: OllamaDouble, model: typeof qwen): ReturnType<Start> {
  return { suggester: plainSuggester(double, model, new FastClock(speed)), stop: () => undefined };
}

async function session(model: typeof qwen, latency: number, start: Start): Promise<Session> {
  const double = await OllamaDouble.start({ models: [{ ...model, contextLength: 32_768, size: 1e9, sizeVram: 9e9 }] });
  const answers = new Map<string, string>();
  double.onGenerate((request) => {
    const reply = typistReply(request, texts, latency / speed, 15 / speed);
    answers.set(request.prompt, textOf(reply));
    return reply;
  });
  const { suggester, stop } = start(double, model);
  const watch = new AbortWatch(double, answers);
  const seen = await play(recording, suggester, speed, (document) => watch.key(document));
  await sleep(200);
  watch.look();
  stop();
  const sent = double.requestsTo('/api/generate');
  const fresh = freshShares(sent);
  await double.close();
  return { ...seen, fresh, sent: sent.length, closedTooSoon: watch.tooSoon };
}

/** Checks which requests were closed, and if the text typed by then matched their answers. */
class AbortWatch {
  tooSoon = 0;
  private readonly known = new Set<RecordedRequest>();
  private readonly sent = new Map<RecordedRequest, CompletionDocument>();
  private last: CompletionDocument | undefined;

  constructor(
    private readonly double: OllamaDouble,
    private readonly answers: ReadonlyMap<string, string>,
  ) {}

  key(document: CompletionDocument): void {
    this.look();
    this.last = document;
  }

  look(): void {
    for (const request of this.double.requestsTo('/api/generate')) {
      if (!this.sent.has(request) && this.last) this.sent.set(request, this.last);
      if (!request.aborted || this.known.has(request)) continue;
      this.known.add(request);
      const from = this.sent.get(request);
      const to = this.last;
      const answer = this.answers.get(String((request.body as { prompt?: string }).prompt)) ?? '';
      if (from === undefined || to === undefined || from === to || from.uri !== to.uri) continue;
      if (to.before.startsWith(from.before) && answer.startsWith(to.before.slice(from.before.length))) this.tooSoon += 1;
    }
  }
}

function textOf(reply: ReturnType<typeof typistReply>): string {
  const steps = typeof reply === 'object' && 'steps' in reply ? (reply.steps ?? []) : [];
  return steps.filter((step) => typeof step === 'string').join('');
}

/** Returns the share of each prompt that is not in the common prefix with the previous prompt. */
function freshShares(requests: readonly RecordedRequest[]): number[] {
  const prompts = requests.map(({ body }) => String((body as { prompt?: string }).prompt));
  return prompts.slice(1).map((prompt, index) => {
    const before = prompts[index] ?? '';
    let common = 0;
    while (common < prompt.length && prompt[common] === before[common]) common += 1;
    return 1 - common / prompt.length;
  });
}

/** Measures the CPU time that the engine adds to a bare request with the same client and body. */
async function overhead(): Promise<void> {
  const double = await OllamaDouble.start({ models: [qwen] });
  double.onGenerate(() => 'value();');
  const bench = CompletionBench.on(double.url, new FastClock(1));
  const document = (index: number): CompletionDocument => ({
    uri: 'file:///w/a.ts',
    path: 'a.ts',
    languageId: 'typescript',
    after: `\n${texts[0]}`,
    lineCount: 400,
    before: `${texts[1]}${texts[2]}\nconst a${index} = `,
  });
  const { client } = makeClient(double.url);
  const own: number[] = [];
  const bare: number[] = [];
  for (let index = 0; index < 120; index += 1) {
    const began = threadTime();
    await bench.engine.complete(document(index), { isAsked: true }, new AbortController().signal);
    const between = threadTime();
    const body = double.requestsTo('/api/generate').at(-1)?.body as GenerateRequest;
    const sent = threadTime();
    for await (const { done } of client.generate(body)) if (done) break;
    if (index < 20) continue;
    own.push(between - began);
    bare.push(threadTime() - sent);
  }
  const added = percentile(own, 0.95) - percentile(bare, 0.95);
  report('completions', 'what the engine adds to a request, p95', 'ms', added, percentile(bare, 0.95), 'value ≤ 5');
  bench.engine.dispose();
  await double.close();
}

void main();
