import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { Entry } from '../../../src/protocol/entries';
import { historyOf } from '../../../src/protocol/history';
import type { Scripted } from '../../support/ollama/doubleReply';
import { rounds } from '../../support/rounds';
import { AgentBench } from './support/agentBench';

const filler =
  'The weather was fine and everybody walked along the river for a while before they went home again to have some tea. ';
/** Five hundred with `npm run test:fuzz -- --rounds 10 conversation`. */
const turns = Math.min(500, rounds(60));

describe(`A conversation of ${turns} turns in a window of 8k`, () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  it('never overflows, and knows to the end what was told and forbidden', async function () {
    this.timeout(0);
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 8192 }],
    });
    await writeFile(bench.file('long.txt'), 'A line of some length, of which there are many.\n'.repeat(60));
    const [facts, prohibitions]: [string[], string[]] = [[], []];
    let sessionId: string | undefined;
    for (let turn = 1; turn <= turns; turn += 1) {
      const said: string[] = [];
      if (turn % 25 === 3) facts.push(`Service ${turn} listens on port ${4000 + turn}.`);
      if (turn % 25 === 3) said.push(facts.at(-1) ?? '');
      if (turn % 30 === 7) prohibitions.push(`Never touch the folder area${turn}.`);
      if (turn % 30 === 7) said.push(prohibitions.at(-1) ?? '');
      const read: Scripted[] = turn % 4 === 0 ? [[{ call: { name: 'read_file', arguments: { path: 'long.txt' } } }]] : [];
      bench.double.script.push(...read, `Answer ${turn}. ${filler.repeat(4)}`);
      const message = `${said.join(' ')} Tell me more of part ${turn}. ${filler.repeat(2)}`;
      sessionId = await bench.ask(message, sessionId === undefined ? {} : { sessionId });
    }
    assert.ok(sessionId);
    const { entries } = await bench.database.log.read(sessionId, 0);
    const ofType = <T extends Entry['type']>(type: T) => entries.filter((entry) => entry.type === type);
    assert.deepEqual(ofType('error'), []);
    assert.equal(ofType('user_input').length, turns);
    assert.ok(ofType('compact_marker').length >= turns / 50);
    const prompt = historyOf(entries)
      .map(({ content }) => content)
      .join('\n');
    const missing = (all: readonly string[]) => all.filter((one) => !prompt.includes(one));
    assert.deepEqual(missing(prohibitions), []);
    assert.ok(missing(facts).length <= facts.length * 0.05, missing(facts).join('\n'));
    assert.ok(prompt.includes(`Tell me more of part ${turns}.`));
    const calls = new Set<unknown>();
    for (const { tool_calls: made, tool_call_id: answered } of historyOf(entries)) {
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
    assert.ok(JSON.stringify(historyOf(entries)).includes('Never use tabs.'));
  });

  it('is summarised when a person asks for it, and the summary is taken back', async () => {
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion'], contextLength: 8192 }],
    });
    bench.double.script.push('Fine.');
    const sessionId = await bench.ask('Use spaces only.', { mode: 'ask' });
    await assert.rejects(bench.controller.compact(sessionId, null), { code: 'nothingToCompact' });
    for (let turn = 1; turn <= 12; turn += 1) {
      bench.double.script.push(`Answer ${turn}. ${filler.repeat(12)}`);
      await bench.ask(`Part ${turn}.`, { mode: 'ask', sessionId });
    }
    const prompt = async () => JSON.stringify(historyOf((await bench.database.log.read(sessionId, 0)).entries));
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
