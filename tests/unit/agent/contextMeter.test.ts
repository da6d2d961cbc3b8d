import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

describe('the context meter', () => {
  let bench: AgentBench;
  const start = async (options?: BenchOptions) => (bench = await AgentBench.start(options));
  afterEach(() => bench?.stop());

  const use = async (sessionId: string | null, mode: 'agent' | 'ask' = 'agent', model = 'worker') => {
    const { entries } = sessionId === null ? { entries: [] } : await bench.database.log.read(sessionId, 0);
    return bench.meter.use({ sessionId, mode, model, entries, loaded: () => ({ window: 4096, gpuShare: 1 }) });
  };

  it('estimates a chat that has not begun: system prompt and tools, tools only where they are offered', async () => {
    await start({
      models: [
        { name: 'worker', capabilities: ['completion', 'tools'] },
        { name: 'talker', capabilities: ['completion'] },
      ],
    });
    bench.double.script.push('Hello.');
    await bench.ask('Go', { mode: 'ask' });
    const agent = await use(null);
    const ask = await use(null, 'ask');
    assert.deepEqual([agent?.window, agent?.loaded?.window, agent?.isMeasured], [8192, 4096, false]);
    assert.equal((agent?.used ?? 0) > (ask?.used ?? 0), true);
    assert.equal((ask?.used ?? 0) > 2 * ((await use(null, 'ask', 'talker'))?.used ?? 0), true);
    assert.deepEqual(await use(null, 'ask', 'nobody'), null);
  });

  it('names the tools that are sent, those that the model loads, and those that a small window leaves out', async () => {
    const capabilities = ['completion', 'tools'] as const;
    await start({
      models: [
        { name: 'worker', capabilities, contextLength: 8192 },
        { name: 'large', capabilities, contextLength: 32_768 },
      ],
    });
    bench.double.script.push('Hello.');
    await bench.ask('Go', { mode: 'ask' });
    const small = await use(null);
    const large = await use(null, 'agent', 'large');
    const ask = await use(null, 'ask', 'large');
    const place = (tools: typeof small, name: string) =>
      (['sent', 'loadable', 'leftOut'] as const).find((list) => tools?.tools[list].includes(name));
    assert.deepEqual(
      [small, large, ask].map((tools) => ['read_file', 'run_tests', 'write_file'].map((name) => place(tools, name))),
      [
        ['sent', 'leftOut', 'sent'],
        ['sent', 'loadable', 'sent'],
        ['sent', undefined, undefined],
      ],
    );
  });

  it('shows what the server measured once it has answered, and again after a restart', async () => {
    await start();
    bench.double.script.push({ steps: ['Hello.'], metrics: { prompt_eval_count: 700, eval_count: 40 } });
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    const shown = await use(sessionId, 'ask');
    assert.deepEqual([shown?.used, shown?.isMeasured], [740, true]);
    const { entries } = await bench.database.log.read(sessionId, 0);
    assert.equal(
      entries.some(({ type, data }) => type === 'assistant_output' && JSON.stringify(data).includes('700')),
      true,
    );
  });

  it('estimates the next request to another model, to another mode and with other tools, until that request is answered', async () => {
    const capabilities = ['completion', 'tools'] as const;
    const settings: Record<string, unknown> = {};
    await start({
      models: [
        { name: 'worker', capabilities, contextLength: 32_768 },
        { name: 'small', capabilities, contextLength: 4096 },
      ],
      settings,
    });
    bench.double.onChat(() => ({ steps: ['Hello.'], metrics: { prompt_eval_count: 7000, eval_count: 40 } }));
    const sessionId = await bench.ask('Go');
    const figures = async (mode: 'agent' | 'ask' = 'agent', model = 'worker') => {
      const { used = 0, isMeasured } = (await use(sessionId, mode, model)) ?? {};
      return { used, isMeasured };
    };
    assert.deepEqual(await figures(), { used: 7040, isMeasured: true });
    const small = await figures('agent', 'small');
    const ask = await figures('ask');
    assert.deepEqual([small.isMeasured, small.used < 4096], [false, true]);
    assert.deepEqual([ask.isMeasured, ask.used < 7040 * 0.8], [false, true]);
    settings['agent.disabledTools'] = ['read_file'];
    const fewer = await figures();
    assert.deepEqual([fewer.isMeasured, fewer.used < 7040], [false, true]);
    settings['agent.disabledTools'] = [];
    await bench.memory.add(sessionId, 'Mind the tests.');
    assert.equal((await figures()).isMeasured, false);
    bench.double.onChat(() => ({ steps: ['Hello.'], metrics: { prompt_eval_count: 1400, eval_count: 40 } }));
    await bench.ask('Go on', { sessionId, model: 'small' });
    assert.deepEqual(await figures('agent', 'small'), { used: 1440, isMeasured: true });
    assert.equal((await figures()).isMeasured, false);
  });

  it('estimates a request whose tools differ from those of an answer in the log', async () => {
    await start();
    bench.double.script.push({ steps: ['Hello.'], metrics: { prompt_eval_count: 700, eval_count: 40 } });
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    const { folders } = bench;
    const second = await AgentBench.start({ folders, owner: 'another window' });
    await second.models.refresh();
    const { entries } = await second.database.log.read(sessionId, 0);
    const measured = async (mode: 'ask' | 'agent') =>
      (await second.meter.use({ sessionId, mode, model: 'worker', entries, loaded: () => null }))?.isMeasured;
    const seen = [await measured('ask'), await measured('agent')];
    await second.stop();
    assert.deepEqual(seen, [true, false]);
  });

  it('is measured after each answer of an agent too, also one without text, and tells so', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\n'.repeat(50));
    const readIt = { call: { name: 'read_file', arguments: { path: 'a.txt' } } };
    bench.double.script.push(
      { steps: [readIt], metrics: { prompt_eval_count: 900, eval_count: 20 } },
      { steps: ['Good.'], metrics: { prompt_eval_count: 1300, eval_count: 10 } },
    );
    const told: string[] = [];
    bench.meter.onDidMeasure(({ sessionId }) => told.push(sessionId));
    const sessionId = await bench.ask('Go');
    assert.deepEqual(told, [sessionId, sessionId]);
    const shown = await use(sessionId);
    assert.deepEqual([shown?.used, shown?.isMeasured], [1310, true]);
    assert.equal(
      shown?.parts.some(({ kind, tokens }) => kind === 'toolResults' && tokens > 0),
      true,
    );
  });

  it('leaves an 8k window to the work: hello in Ask takes 1,200 tokens at the most, what every request holds a quarter of it', async () => {
    await start();
    bench.double.script.push('Hello.');
    const sessionId = await bench.ask('hello', { mode: 'ask' });
    const { entries } = await bench.database.log.read(sessionId, 0);
    const answer = entries.find(({ type }) => type === 'assistant_output');
    const { promptTokens = 0 } = answer?.type === 'assistant_output' ? (answer.data.stats ?? {}) : {};
    assert.ok(promptTokens > 0 && promptTokens <= 1200, `hello took ${promptTokens}`);
    for (const mode of ['ask', 'plan', 'agent', 'edit'] as const) {
      const { parts = [] } =
        (await bench.meter.use({ sessionId: null, mode, model: 'worker', entries: [], loaded: () => null })) ?? {};
      const fixed = parts.reduce((sum, { tokens }) => sum + tokens, 0);
      assert.ok(fixed <= 8192 / 4, `${mode} takes ${fixed}`);
    }
  });

  it('estimates with the length of a token as measured, which is kept for the model', async () => {
    const models = [
      { name: 'plain', capabilities: ['completion', 'tools'] },
      { name: 'worker', capabilities: ['completion', 'tools'], countTokens: (text: string) => Math.ceil(text.length / 2) },
    ] as const;
    await start({ models });
    await bench.ask('Go', { model: 'plain' });
    const before = (await use(null))?.used ?? 0;
    await bench.ask('Go');
    const after = (await use(null))?.used ?? 0;
    assert.ok(after > before * 1.8 && after < before * 2.2, `${before} became ${after}`);
    const second = await AgentBench.start({ models, folders: bench.folders, owner: 'another window' });
    const question = { sessionId: null, mode: 'agent', model: 'worker', entries: [], loaded: () => null } as const;
    assert.equal((await second.meter.use(question))?.used, after);
    await second.stop();
  });

  it('knows the share of a prompt that the server did not read anew, and that a summary costs one prompt', async () => {
    await start();
    let last = '';
    let hasForgotten = false;
    // Processes one token per millisecond. The common prefix with the previous prompt is free.
    bench.double.onChat(({ messages, tools }) => {
      const text = JSON.stringify([tools, messages]);
      let common = 0;
      while (!hasForgotten && common < text.length && text[common] === last[common]) common += 1;
      last = text;
      const tokens = Math.ceil(text.length / 4);
      const milliseconds = Math.max(1, Math.ceil((text.length - common) / 4));
      const metrics = { prompt_eval_count: tokens, prompt_eval_duration: milliseconds * 1e6, eval_count: 300 };
      return { steps: [`Good. ${'words of an answer '.repeat(60)}`], metrics };
    });
    const shares: number[] = [];
    let sessionId: string | undefined;
    const ask = async (): Promise<void> => {
      sessionId = await bench.ask('Tell me more.', sessionId === undefined ? {} : { sessionId });
      shares.push((await use(sessionId))?.reused ?? -1);
    };
    for (let turn = 0; turn < 24; turn += 1) await ask();
    assert.equal(shares[0], 0);
    const markers = (await bench.database.log.read(sessionId ?? '', 0)).entries.filter(({ type }) => type === 'compact_marker');
    const low = shares.slice(1).filter((share) => share < 0.8);
    assert.ok(markers.length > 0);
    assert.ok(low.length <= markers.length, shares.join(' '));
    hasForgotten = true;
    await ask();
    assert.ok((shares.at(-1) ?? 1) < 0.1, shares.join(' '));
  });

  it('shows the server’s own count of what came from the cache, and which part of the prompt broke it', async () => {
    const settings: Record<string, unknown> = {};
    const lines: string[] = [];
    const logger = { ...silentLogger, debug: (text: string) => void lines.push(text) };
    const models = [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768, countsCache: true } as const];
    await bench?.stop();
    bench = await AgentBench.start({ models, settings, logger });
    await writeFile(bench.file('AGENTS.md'), 'Answer in one word.');
    bench.double.onChat(() => 'Good.');
    const sessionId = await bench.ask('Go');
    const next = async () => {
      await bench.ask('Go on', { sessionId });
      const { reused, changed } = (await use(sessionId)) ?? {};
      return [changed, Math.round((reused ?? 0) * 100)] as const;
    };
    assert.equal((await use(sessionId))?.reused, 0);
    const [changed, share] = await next();
    assert.deepEqual([changed, share > 95], [null, true]);
    settings['agent.disabledTools'] = ['run_terminal_command'];
    assert.equal((await next())[0], 'tools');
    settings['agent.instructionFiles'] = [];
    const broken = await next();
    assert.deepEqual([broken[0], broken[1] < 95], ['instructions', true]);
    await bench.memory.add(sessionId, 'Mind the tests.');
    assert.equal((await next())[0], 'memory');
    assert.deepEqual((await next())[0], null);
    assert.match(
      lines.find((line) => line.startsWith('Prompt cache:') && line.includes('tools')) ?? '',
      /^Prompt cache: \d+ % of the last prompt reused, tools changed$/,
    );
  });

  it('names the cache if the server lost the prompt to another request, but not if the message is long', async () => {
    const models = [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768, countsCache: true } as const];
    await bench?.stop();
    bench = await AgentBench.start({ models });
    bench.double.onChat(() => 'Good.');
    const sessionId = await bench.ask('Go');
    const next = async (text: string) => {
      await bench.ask(text, { sessionId });
      return (await use(sessionId))?.changed;
    };
    const options = { num_ctx: (bench.chats()[0]?.['options'] as { num_ctx: number }).num_ctx };
    const other = { model: 'worker', prompt: 'const a = ', raw: true, keep_alive: '30m', truncate: false, shift: false, options };
    assert.equal(await next('Go on'), null);
    for await (const chunk of bench.client.generate({ ...other, truncate: false, shift: false })) void chunk;
    assert.equal(await next('Go on'), 'cache');
    assert.equal(await next(`Look at this: ${'one more word '.repeat(4000)}`), null);
  });

  it('compares a prompt only with earlier prompts of its chat, and names no change if most of it came from the cache', async () => {
    const capabilities = ['completion', 'tools'] as const;
    const model = { capabilities, contextLength: 32_768, countsCache: true } as const;
    await start({
      models: [
        { name: 'worker', ...model },
        { name: 'other', ...model },
      ],
    });
    let share = 0;
    bench.double.onChat(() => ({
      steps: ['Good.'],
      metrics: { prompt_eval_count: 1000, prompt_eval_cached_count: share * 1000, eval_count: 10 },
    }));
    const changed = async (text: string, sessionId?: string, name = 'worker') => {
      const id = await bench.ask(text, { model: name, ...(sessionId !== undefined && { sessionId }) });
      return { id, changed: (await use(id, 'agent', name))?.changed ?? null };
    };
    const edit = async (text: string, id: string) => {
      const { entries } = await bench.database.log.read(id, 0);
      const seq = entries.find(({ type }) => type === 'user_input')?.seq ?? 0;
      await bench.database.log.append(id, { type: 'rewind', data: { fromSeq: seq } });
      return (await changed(text, id)).changed;
    };
    share = 0.6;
    const first = await changed('One');
    await changed('One again', first.id);
    await changed('Two', undefined, 'other');
    const third = await changed('Three');
    assert.deepEqual([first.changed, third.changed], [null, null]);
    await changed('Four', third.id);
    assert.equal(await edit('Five', third.id), 'history');
    await changed('Six', third.id);
    share = 1;
    assert.equal(await edit('Seven', third.id), null);
  });

  it('never lets what the server has loaded change what is asked for', async () => {
    await start();
    bench.double.script.push('One.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    assert.equal((await use(sessionId, 'ask'))?.loaded?.window, 4096);
    bench.double.script.push('Two.');
    await bench.ask('Go on', { mode: 'ask', sessionId });
    assert.deepEqual(
      bench.chats().map(({ options }) => (options as { num_ctx: number }).num_ctx),
      [8192, 8192],
    );
  });
});
