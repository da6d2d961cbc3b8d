import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { hold, type GenerationRequest, type Step } from '../../../support/ollama/doubleReply';
import { until } from '../../../support/until';
import { Workplace } from './workplace';

const call = (name: string, input: object) => `<tool_call>${JSON.stringify({ name, arguments: input })}</tool_call>`;
const create = (file: string) => call('create_file', { path: file, content: 'made' });

describe('the prompts of a session of the Agent Client Protocol', () => {
  let work: Workplace;
  let session: string;

  beforeEach(async () => {
    work = await Workplace.open([{ name: 'worker', capabilities: ['completion', 'tools'], loadDelayMs: 300 }]);
    session = await work.editor.begin(work.folder);
  });

  afterEach(() => work.close());

  const reasonOf = async (text: string) => (await work.editor.prompt(session, text)).stopReason;
  const cancel = () => work.editor.connection.agent.notify('session/cancel', { sessionId: session });
  const isMade = (file: string) => existsSync(path.join(work.folder, file));
  const asked = () => work.double.requestsTo('/api/chat').length;

  /** Answers a message with these steps, whichever request comes first. Unanswered messages are sent again with the next message. */
  function answer(text: string, ...steps: Step[]): void {
    const when = ({ messages }: GenerationRequest) =>
      messages
        .findLast(({ role }) => role === 'user')
        ?.content.match(/One|Two|Three/g)
        ?.at(-1) === text;
    work.double.script.push({ when, steps });
  }

  /** Sends a message and resolves when the model receives it. The model's answer, which creates a file, waits until `release`. */
  async function sendHeld(text: string, file: string): Promise<{ reason: Promise<string>; release: () => void }> {
    const { step, release } = hold();
    answer(text, step, create(file));
    const before = asked();
    const reason = reasonOf(text);
    await until(() => asked() > before);
    return { reason, release };
  }

  it('are settled by their own runs when a cancel comes between two, before the first has a run', async () => {
    answer('One', create('first.txt'));
    answer('Two', create('made.txt'));
    answer('Two', 'Second.');
    const first = reasonOf('One');
    const sent = cancel();
    const second = reasonOf('Two');
    await sent;
    assert.deepEqual(await Promise.all([first, second]), ['cancelled', 'end_turn']);
    assert.deepEqual([isMade('first.txt'), isMade('made.txt')], [false, true]);
    assert.equal(work.editor.textOf('agent_message_chunk'), 'Second.');
    assert.equal(await reasonOf('Three'), 'end_turn');
  });

  it('are settled by their own runs when a cancel comes between two while the first runs', async () => {
    const first = await sendHeld('One', 'first.txt');
    answer('Two', create('made.txt'));
    const sent = cancel();
    const second = reasonOf('Two');
    await sent;
    assert.equal(await first.reason, 'cancelled');
    first.release();
    assert.equal(await second, 'end_turn');
    assert.deepEqual([isMade('first.txt'), isMade('made.txt')], [false, true]);
  });

  it('do nothing after they are answered as cancelled', async () => {
    const first = await sendHeld('One', 'first.txt');
    answer('Two', create('second.txt'));
    const sent = [cancel()];
    const second = reasonOf('Two');
    sent.push(cancel(), cancel());
    await Promise.all(sent);
    assert.deepEqual(await Promise.all([first.reason, second]), ['cancelled', 'cancelled']);
    first.release();
    const before = asked();
    assert.equal(await reasonOf('Three'), 'end_turn');
    assert.deepEqual([isMade('first.txt'), isMade('second.txt')], [false, false]);
    const later = work.double.requestsTo('/api/chat').slice(before);
    const said = later.map(({ body }) => JSON.stringify((body as { messages: object[] }).messages));
    assert.deepEqual(
      said.filter((messages) => messages !== '[]' && !messages.includes('Three')),
      [],
    );
  });

  it('are not cancelled by a cancel that came before them', async () => {
    work.double.script.push('First.', 'Second.');
    await cancel();
    assert.equal(await reasonOf('One'), 'end_turn');
    await cancel();
    assert.equal(await reasonOf('Two'), 'end_turn');
  });

  it('are accepted as soon as the one before is answered', async () => {
    for (let round = 0; round < 20; round += 1) {
      work.double.script.push(`Answer ${round}.`);
      assert.equal(await reasonOf(`Message ${round}`), 'end_turn');
    }
  });

  it('are settled when the session is closed or loaded again, and a new one runs', async () => {
    const first = await sendHeld('One', 'first.txt');
    const loaded = work.editor.request('session/load', { sessionId: session, cwd: work.folder, mcpServers: [] });
    assert.equal(await first.reason, 'cancelled');
    await loaded;
    first.release();
    assert.equal(await reasonOf('Two'), 'end_turn');
    assert.equal(isMade('first.txt'), false);
  });

  it('summarize nothing and leave the session free after a cancel', async () => {
    work.double.script.push('First.', 'Second.');
    await reasonOf('One');
    const compacting = reasonOf('/compact');
    const sent = cancel();
    const next = reasonOf('Two');
    await sent;
    assert.deepEqual(await Promise.all([compacting, next]), ['cancelled', 'end_turn']);
  });
});
