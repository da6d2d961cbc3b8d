import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { cleanTitle } from '../../../src/agent/prompt/titleWriter';
import { hold, type Scripted } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';

describe('Titles by a model', () => {
  let bench: AgentBench;
  afterEach(() => bench?.stop());

  const start = async (settings: Record<string, unknown> = { 'agent.sessionTitleGeneration': true }) =>
    (bench = await AgentBench.start({
      models: [
        { name: 'worker', capabilities: ['completion', 'tools', 'thinking'] },
        { name: 'small', capabilities: ['completion'] },
      ],
      settings,
    }));
  const title = async (id: string) => (await bench.database.sessions.get(id))?.title;
  const titled = async (id: string, wanted: string) => {
    while ((await title(id)) !== wanted) await wait(5);
  };
  const named = (reply: Scripted) => bench.double.script.push('The answer.', reply);

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
  });
});
