import assert from 'node:assert/strict';
import { splitForSummary, planCompaction } from '../../../src/agent/context/compaction';
import { usableSummary } from '../../../src/agent/context/summaryText';
import { activeMarker } from '../../../src/protocol/context/compaction';
import type { EntryInput } from '../../../src/protocol/entries';
import { entries } from '../../support/entries';
import { systemClock, type Clock } from '../../../src/utils/clock';
import { hold, type Reply, type ReplyHandler } from '../../support/ollama/doubleReply';
import { rounds } from '../../support/rounds';
import { AgentBench } from './support/agentBench';
import { filler, LongTalk } from './support/longTalk';

/** 500 turns with `npm run test:fuzz -- --rounds 10 conversation`. */
const turns = Math.min(500, rounds(60));
const model = { name: 'worker', capabilities: ['completion', 'tools'], contextLength: 8192 } as const;

/** Clock that shortens long waits. */
const hasty: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(ms === 1000 || ms === 2000 || ms === 4000 ? 1 : ms, signal),
};

/** Answers like a good model: with all sections, and with the last requested part. */
const diligent: ReplyHandler = ({ messages }) => {
  const part = [...(messages.at(-1)?.content ?? '').matchAll(/part (\d+)/g)].at(-1)?.[1] ?? '?';
  return [
    `## Goal\nTell more of part ${part}.`,
    '## Done\n- The agent told of the weather, which was fine, and of everybody along the river.',
    '## Decisions\nnone\n## Files\n- long.txt: lines of some length\n## Problems\nnone\n## Next\nThe next part.',
  ].join('\n');
};

const repeated = `## Goal\n${'The weather was fine.\n'.repeat(30)}## Done\n## Next\n`;
const lorem =
  '## Goal\nDolor consectetur adipiscing elit.\n## Done\nTempor incididunt labore magna.\n## Next\nVeniam nostrud exercitation.';
const broken: Record<string, () => Reply | string> = {
  nothing: () => '',
  nonsense: () => lorem,
  'the same line over and over': () => repeated,
  'an answer instead of a summary': () => 'Of course! Here is more of part 12: the weather was fine along the river.',
  'an error': () => ({ refuse: { status: 500, message: 'model runner has unexpectedly stopped' } }),
  'an answer that breaks off': () => ({ steps: ['## Goal\nTell more of the river.\n## Done\nThe weather.', { reset: true }] }),
};

describe(`A summary by a model, in ${turns} turns of a conversation in 8k`, () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  const talkWith = async (summary: ReplyHandler): Promise<LongTalk> => {
    bench = await AgentBench.start({ models: [model], retryClock: hasty });
    bench.double.onSummary(summary);
    return LongTalk.of(bench, turns);
  };

  const assertKept = (talk: LongTalk): void => {
    assert.deepEqual(talk.ofType('error'), []);
    assert.deepEqual(talk.forgottenProhibitions(), []);
    assert.ok(talk.knownFacts() >= 0.95);
    const compactions = talk.ofType('compact_marker').filter(({ data }) => data.continues === undefined).length;
    const shortenings = talk.ofType('system_message').filter(({ data }) => data.code === 'shortened').length;
    assert.ok(compactions >= turns / 50);
    assert.ok(LongTalk.rereads(bench.chats()) <= compactions + shortenings);
  };

  it('is in the prompt, carried on from one compaction to the next, with all that was told and forbidden', async function () {
    this.timeout(0);
    const talk = await talkWith(diligent);
    assertKept(talk);
    const words = activeMarker(talk.entries)?.data.words;
    assert.equal(words?.model, 'worker:latest');
    assert.ok(talk.prompt().includes(words.text));
    assert.match(words.text, /^## Goal\nTell more of part \d+\.\n## Done/);
    const requests = bench.summaryRequests().map((body) => JSON.stringify(body['messages']));
    assert.ok(requests.slice(1).every((request) => request.includes('Summary so far, to be carried on:\\n')));
  });

  for (const [what, summary] of Object.entries(broken))
    it(`is made without a model where the model writes ${what}`, async function () {
      this.timeout(0);
      const talk = await talkWith(summary);
      assertKept(talk);
      assert.ok(bench.summaryRequests().length > 0);
      assert.equal(activeMarker(talk.entries)?.data.words, undefined);
    });
});

describe('A summary by a model', () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  const talked = async (settings: Record<string, unknown> = {}) => {
    const writers = [model, { name: 'writer', capabilities: ['completion'], contextLength: 2048 } as const];
    bench = await AgentBench.start({ models: writers, settings });
    let sessionId: string | undefined;
    for (let turn = 1; turn <= 12; turn += 1) {
      bench.double.script.push(`Answer ${turn}. ${filler.repeat(12)}`);
      sessionId = await bench.ask(`Tell me of part ${turn}.`, sessionId === undefined ? {} : { sessionId });
    }
    return sessionId ?? '';
  };
  const markers = async (sessionId: string) =>
    (await bench.database.log.read(sessionId, 0)).entries.filter((entry) => entry.type === 'compact_marker');

  it('is written by the model that is set for it, in chunks that fit its window, each in the log at once', async () => {
    const sessionId = await talked({ 'agent.compactionModel': 'writer' });
    const seen: number[] = [];
    bench.double.onSummary(async (request) => {
      seen.push((await markers(sessionId)).length);
      return diligent(request);
    });
    await bench.controller.compact(sessionId, null);
    const made = await markers(sessionId);
    assert.ok(made.length > 1);
    assert.deepEqual(seen, [...seen.keys()]);
    assert.deepEqual(
      made.map(({ data }) => data.continues),
      [undefined, ...made.slice(0, -1).map(({ seq }) => seq)],
    );
    assert.deepEqual(new Set(bench.summaryRequests().map(({ model: name }) => name)), new Set(['writer:latest']));
    // Undo reverts all chunks of a compaction together.
    await bench.controller.undoCompaction(sessionId, made.at(-1)?.seq ?? 0);
    assert.equal(activeMarker((await bench.database.log.read(sessionId, 0)).entries), undefined);
  });

  it('keeps the chunks that are there when a later one fails, and says the rest without a model', async () => {
    const sessionId = await talked({ 'agent.compactionModel': 'writer' });
    let asked = 0;
    bench.double.onSummary((request) => ((asked += 1) === 1 ? diligent(request) : lorem));
    await bench.controller.compact(sessionId, null);
    const [first, last, ...others] = await markers(sessionId);
    assert.ok(first && last && others.length === 0);
    assert.equal(last.data.continues, first.seq);
    assert.deepEqual(last.data.words, first.data.words);
    assert.match(last.data.summary, /## Goal[\s\S]*Answers given, shortened:\n- Answer/);
  });

  it('keeps what is there when the run is stopped', async () => {
    const sessionId = await talked({ 'agent.compactionModel': 'writer' });
    const { step, release } = hold();
    let asked = 0;
    bench.double.onSummary((request) => ((asked += 1) === 1 ? diligent(request) : [step]));
    bench.double.onChat(() => `More. ${filler.repeat(12)}`);
    const talking = (async () => {
      while (asked < 2) await bench.ask('Tell me more.', { sessionId });
    })();
    await bench.double.until(() => bench.summaryRequests().length === 2);
    await bench.controller.stop(sessionId);
    release();
    await talking;
    const made = await markers(sessionId);
    assert.deepEqual([made.length, made[0]?.data.words?.model], [1, 'writer:latest']);
    assert.ok(bench.states.some(({ activity }) => activity?.kind === 'summarising'));
  });

  it('ends with Stop where a person asked for it, keeps what is there, and then sends what was written meanwhile', async () => {
    const sessionId = await talked({ 'agent.compactionModel': 'writer' });
    const { step, release } = hold();
    let asked = 0;
    bench.double.onSummary((request) => ((asked += 1) === 2 ? [step] : diligent(request)));
    const compacting = bench.controller.compact(sessionId, null);
    await bench.double.until(() => bench.summaryRequests().length === 2);
    assert.equal((await bench.controller.runState(sessionId)).activity?.kind, 'summarising');
    const message = { sessionId, text: 'Too early', mode: 'agent', model: null } as const;
    await assert.rejects(bench.controller.send(message), { code: 'sessionBusy' });
    await bench.controller.stop(sessionId);
    release();
    await compacting;
    assert.equal((await markers(sessionId)).length, 1);
    assert.equal((await bench.controller.runState(sessionId)).state, 'idle');
    assert.equal((await bench.database.log.read(sessionId, 0)).entries.at(-1)?.type, 'compact_marker');

    await bench.controller.undoCompaction(sessionId, (await markers(sessionId))[0]?.seq ?? 0);
    const last = hold();
    bench.double.onSummary(() => [last.step]);
    bench.double.onChat(() => 'Not too late.');
    const again = bench.controller.compact(sessionId, null);
    await bench.double.until(() => bench.summaryRequests().length === 3);
    await bench.controller.enqueue({ ...message, text: 'In time' });
    last.release();
    await again;
    await bench.over(sessionId);
    const { entries } = await bench.database.log.read(sessionId, 0);
    assert.deepEqual(entries.filter(({ type }) => type === 'user_input').at(-1)?.content, 'In time');
    assert.equal(entries.at(-1)?.type, 'run_end');
  });

  it('is not asked of a model that runs elsewhere, to which nobody has agreed', async () => {
    const sessionId = await talked({ 'agent.compactionModel': 'far:cloud' });
    bench.double.addModel({ name: 'far:cloud', capabilities: ['completion'] });
    await bench.controller.compact(sessionId, null);
    assert.equal((await markers(sessionId)).length, 1);
    assert.deepEqual(bench.summaryRequests(), []);
  });
});

describe('What a model wrote as a summary', () => {
  const source = 'User: Rename the parser to reader.\nAgent: The parser is in src/parser.ts and is called reader from now on.';
  const good = 'Here it is:\n## Goal\nRename the parser.\n## Done\nparser is called reader in src/parser.ts\n## Next\nnone';

  it('is used from its first heading on, if it has the sections and speaks of what the conversation speaks of', () => {
    assert.equal(usableSummary(good, source, 1000), good.slice(good.indexOf('## Goal')));
    assert.equal(usableSummary(good, source, 80), good.slice(good.indexOf('## Goal'), good.indexOf('\n## Next')));
    for (const [what, text] of Object.entries({ lorem, repeated, nothing: '', headings: '## Goal\n## Done\n## Next' }))
      assert.equal(usableSummary(text, source, 1000), null, what);
  });

  it('stands for whole steps: no chunk ends between a call and its result', () => {
    const steps = Array.from({ length: 20 }, (_unused, at): EntryInput[] => [
      { type: 'tool_call', data: { callId: `c${at}`, name: 'read_file', input: { path: `${at}.txt` } } },
      { type: 'tool_result', content: 'text '.repeat(60), data: { callId: `c${at}`, name: 'read_file', status: 'success' } },
    ]);
    const log = entries({ type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } }, ...steps.flat());
    const plan = planCompaction(log, { conversation: 3000, window: 4000 });
    assert.ok(plan);
    const chunks = splitForSummary(log, plan, 900);
    assert.ok(chunks.length > 3);
    for (const { throughSeq } of chunks) assert.equal(log.find(({ seq }) => seq === throughSeq)?.type, 'tool_result');
    assert.equal(chunks.at(-1)?.throughSeq, plan.marker.data.throughSeq);
  });
});
