import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { cleanTitle } from '../../../src/agent/prompt/titleWriter';
import { hold, type Scripted } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';
import { eventually } from '../../support/until';

describe('Generate titles with a model', () => {
  let bench: AgentBench;
  afterEach(() => bench?.stop());

  const start = async (settings: Record<string, unknown> = { 'agent.sessionTitleGeneration': true }) =>
    (bench = await AgentBench.start({
      models: [
        { name: 'worker', capabilities: ['completion', 'tools', 'thinking'], countsCache: true },
        { name: 'small', capabilities: ['completion'] },
      ],
      settings,
    }));
  const title = async (id: string) => (await bench.database.sessions.get(id))?.title;
  const titled = (id: string, wanted: string) => eventually(async () => assert.equal(await title(id), wanted));
  const named = (reply: Scripted) => {
    bench.double.script.push('The answer.');
    bench.double.onTitle(() => reply);
  };

  it('come once the first message is answered, by the model that is set, in the window that it has anyway', async () => {
    await start({ 'agent.sessionTitleGeneration': true, 'agent.sessionTitleModel': 'small' });
    named('"Fixing the login form."\n\nI hope that helps!');
    const id = await bench.ask('The login form is broken, please have a look at it', { mode: 'ask' });
    await titled(id, 'Fixing the login form');
    const body = bench.chats().at(-1);
    assert.deepEqual([body?.['model'], body?.['truncate']], ['small:latest', false]);
    bench.double.script.push('Another answer.');
    await bench.ask('And now?', { mode: 'ask', sessionId: id });
    await wait(50);
    assert.equal(bench.chats().length, 3, 'a second message asks for none');
  });

  it('follow the conversation in its prompt, so that the next message reads only itself', async () => {
    await start();
    bench.double.script.push('The form lacks a name. '.repeat(40), 'Another answer.');
    bench.double.onTitle(() => 'Fixing the form');
    const id = await bench.ask('The login form is broken', { mode: 'ask' });
    await titled(id, 'Fixing the form');
    await bench.ask('And now?', { mode: 'ask', sessionId: id });
    const [answered, written, next] = bench.chats() as { messages: unknown[]; tools: unknown; options: object }[];
    assert.deepEqual([written?.tools, written?.messages.slice(0, -2)], [answered?.tools, answered?.messages]);
    assert.deepEqual(written?.messages.slice(0, -1), next?.messages.slice(0, -1));
    const { entries } = await bench.database.log.read(id, 0);
    const last = entries.findLast((entry) => entry.type === 'assistant_output');
    const { promptTokens = 0, cachedTokens = 0 } = last?.type === 'assistant_output' ? (last.data.stats ?? {}) : {};
    assert.ok(cachedTokens > 0 && promptTokens - cachedTokens < 20, `${cachedTokens} of ${promptTokens}`);
  });

  it('stand alone with a model that writes into the start of a prompt whether it thinks', async () => {
    const models = [{ name: 'gpt-oss', capabilities: ['completion', 'tools', 'thinking'], path: 'harmony' } as const];
    bench = await AgentBench.start({ models, settings: { 'agent.sessionTitleGeneration': true } });
    named('A title');
    const id = await bench.ask('Go', { mode: 'ask', model: 'gpt-oss' });
    await titled(id, 'A title');
    assert.equal((bench.chats().at(-1)?.['messages'] as unknown[]).length, 2);
  });

  it('come from no cloud model unless a setting names it', async () => {
    const models = [{ name: 'big:cloud', capabilities: ['completion'] } as const];
    const settings: Record<string, unknown> = { 'agent.sessionTitleGeneration': true };
    bench = await AgentBench.start({ models, settings });
    named('A title');
    const id = await bench.ask('Go', { mode: 'ask', model: 'big:cloud' });
    await wait(50);
    assert.deepEqual([await title(id), bench.chats().length], ['Go', 1]);
    settings['agent.sessionTitleModel'] = 'big:cloud';
    named('A title');
    await titled(await bench.ask('Go on', { mode: 'ask', model: 'big:cloud' }), 'A title');
  });

  it('are not asked for where nobody wants them', async () => {
    await start({});
    bench.double.script.push('The answer.');
    const id = await bench.ask('The login form is broken', { mode: 'ask' });
    await wait(50);
    assert.deepEqual([await title(id), bench.chats().length], ['The login form is broken', 1]);
  });

  it('never take the place of one that a person gave meanwhile', async () => {
    await start();
    const pause = hold();
    named([pause.step, 'A title']);
    const id = await bench.ask('Go', { mode: 'ask' });
    await bench.double.until(() => bench.chats().length === 2);
    await bench.database.sessions.update(id, { title: 'Mine' });
    pause.release();
    await wait(50);
    assert.equal(await title(id), 'Mine');
  });

  it('make nobody wait: the next message ends the request', async () => {
    await start();
    const pause = hold();
    named([pause.step, 'A title']);
    const id = await bench.ask('Go', { mode: 'ask' });
    await bench.double.until(() => bench.chats().length === 2);
    bench.double.script.push('At once.');
    await bench.ask('And on', { mode: 'ask', sessionId: id });
    pause.release();
    assert.equal(bench.double.aborted.length, 1);
    assert.equal(await title(id), 'Go');
  });

  const bad: Scripted[] = ['', '\n***\n', 'words and '.repeat(40), [{ error: 'no' }]];
  for (const reply of bad) {
    it(`stay as they were where the model writes ${JSON.stringify(reply).slice(0, 30)}`, async () => {
      await start();
      named(reply);
      const id = await bench.ask('Go', { mode: 'ask' });
      await bench.double.until(() => bench.chats().length === 2);
      await wait(50);
      assert.equal(await title(id), 'Go');
    });
  }

  it('are without thoughts, marks and quotes', () => {
    assert.equal(cleanTitle('<think>Hm.</think>\n## Title: **Parsing `JSON`**'), 'Parsing JSON');
    assert.equal(cleanTitle('„Ein Titel“'), 'Ein Titel');
    assert.equal(cleanTitle('<think>Never done'), null);
    assert.equal(cleanTitle('a\u202eb'), 'ab');
    assert.equal(cleanTitle('Parsing JSON [TASK_COMPLETE]'), 'Parsing JSON');
    assert.equal(cleanTitle('{"name": "read_file", "arguments": {}}'), null);
  });
});
