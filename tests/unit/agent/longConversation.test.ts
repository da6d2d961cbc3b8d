import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { buildHistory } from '../../../src/protocol/history';
import { rounds } from '../../support/rounds';
import { AgentBench } from './support/agentBench';
import { filler, LongTalk } from './support/longTalk';

/** 500 turns with `npm run test:fuzz -- --rounds 10 conversation`. */
const turns = Math.min(500, rounds(60));

describe(`A conversation of ${turns} turns in a window of 8k`, () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  it('never overflows, and knows to the end what was told and forbidden', async function () {
    this.timeout(0);
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 8192 }],
    });
    const talk = await LongTalk.of(bench, turns);
    const { entries } = talk;
    assert.deepEqual(talk.ofType('error'), []);
    assert.equal(talk.ofType('user_input').length, turns);
    assert.ok(talk.ofType('compact_marker').length >= turns / 50);
    assert.deepEqual(talk.forgottenProhibitions(), []);
    assert.ok(talk.knownFacts() >= 0.95);
    assert.ok(talk.prompt().includes(`Tell me more of part ${turns}.`));
    const calls = new Set<unknown>();
    for (const { tool_calls: made, tool_call_id: answered } of buildHistory(entries)) {
      for (const { id } of made ?? []) calls.add(id);
      if (answered !== undefined) assert.ok(calls.has(answered));
    }
  });

  it('goes on in one task of a hundred steps, which the request is never lost from', async function () {
    this.timeout(0);
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 8192 }],
      settings: { 'agent.maxIterations': 200 },
    });
    for (let file = 0; file < 100; file += 1)
      await writeFile(bench.file(`f${file}.txt`), `${file} ${'some words of it '.repeat(100)}`);
    for (let file = 0; file < 100; file += 1)
      bench.double.script.push([`Step ${file}.`, { call: { name: 'read_file', arguments: { path: `f${file}.txt` } } }]);
    bench.double.script.push('All are read.');
    const sessionId = await bench.ask('Read them all, and never change one of them.');
    const { entries } = await bench.database.log.read(sessionId, 0);
    assert.deepEqual(
      entries.filter(({ type }) => type === 'error'),
      [],
    );
    const last = entries.at(-1);
    assert.equal(last?.type === 'run_end' ? last.data.outcome : last?.type, 'done');
    const requests = bench.chats().map((request) => JSON.stringify(request['messages']));
    assert.ok(requests.length > 100);
    assert.deepEqual(
      requests.filter((request) => !request.includes('never change one of them')),
      [],
    );
  });

  it('goes on after a reload between two summaries', async function () {
    this.timeout(0);
    const models = [{ name: 'worker', capabilities: ['completion'] as const, contextLength: 4096 }];
    let sessionId: string | undefined;
    const talk = async (window: AgentBench, from: number): Promise<number> => {
      const markers = async () =>
        (await window.database.log.read(sessionId ?? '', 0)).entries.filter(({ type }) => type === 'compact_marker').length;
      const before = sessionId === undefined ? 0 : await markers();
      for (let turn = from; ; turn += 1) {
        window.double.script.push(`Answer ${turn}. ${filler.repeat(8)}`);
        const text = turn === 1 ? 'Never use tabs. Tell me of part 1.' : `Tell me of part ${turn}.`;
        sessionId = await window.ask(text, { mode: 'ask', ...(sessionId !== undefined && { sessionId }) });
        if ((await markers()) > before) return turn + 1;
      }
    };
    bench = await AgentBench.start({ models });
    const next = await talk(bench, 1);
    const again = await AgentBench.start({ models, folders: bench.folders, owner: 'after the reload' });
    try {
      await talk(again, next);
      const { entries } = await again.database.log.read(sessionId ?? '', 0);
      assert.deepEqual(
        entries.filter(({ type }) => type === 'error'),
        [],
      );
      const prompt = JSON.stringify(buildHistory(entries));
      assert.ok(prompt.includes('Never use tabs.'));
      assert.equal(prompt.split('Summary of the conversation so far').length, 2, 'one summary stands for both');
    } finally {
      await again.stop();
    }
  });

  it('goes on in a window of 2k', async function () {
    this.timeout(0);
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion'], contextLength: 2048 }],
    });
    let sessionId: string | undefined;
    for (let turn = 1; turn <= 30; turn += 1) {
      bench.double.script.push(`Answer ${turn}. ${filler.repeat(4)}`);
      const text = turn === 1 ? 'Never use tabs. Tell me of part 1.' : `Tell me of part ${turn}.`;
      sessionId = await bench.ask(text, { mode: 'ask', ...(sessionId !== undefined && { sessionId }) });
    }
    const { entries } = await bench.database.log.read(sessionId ?? '', 0);
    assert.deepEqual(
      entries.filter(({ type }) => type === 'error'),
      [],
    );
    assert.ok(entries.some(({ type }) => type === 'compact_marker'));
    assert.ok(JSON.stringify(buildHistory(entries)).includes('Never use tabs.'));
  });

  it('is summarised when a person asks for it, and the summary is taken back', async () => {
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion'], contextLength: 8192 }],
    });
    bench.double.script.push('Fine.');
    const sessionId = await bench.ask('Use spaces only.', { mode: 'ask' });
    assert.equal(await bench.controller.compact(sessionId, null), false);
    for (let turn = 1; turn <= 12; turn += 1) {
      bench.double.script.push(`Answer ${turn}. ${filler.repeat(12)}`);
      await bench.ask(`Part ${turn}.`, { mode: 'ask', sessionId });
    }
    const prompt = async () => JSON.stringify(buildHistory((await bench.database.log.read(sessionId, 0)).entries));
    const before = await prompt();
    await bench.controller.compact(sessionId, null);
    const marker = (await bench.database.log.read(sessionId, 0)).entries.at(-1);
    assert.ok(marker?.type === 'compact_marker');
    assert.ok((await prompt()).length < before.length);
    assert.ok((await prompt()).includes('Use spaces only.'));
    await bench.controller.undoCompaction(sessionId, marker.seq);
    assert.equal(await prompt(), before);
  });
});
