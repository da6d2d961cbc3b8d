import assert from 'node:assert/strict';
import type { Attachment, EntryInput } from '../../../src/protocol/entries';
import { imageTokens } from '../../../src/protocol/context/imageRef';
import { buildHistory } from '../../../src/protocol/history';
import { entries } from '../../support/entries';
import { png } from '../../support/images';
import { AgentBench } from './support/agentBench';

interface Sent {
  messages: { role: string; content: string; images?: string[] }[];
}
const seeing = { name: 'eyes', capabilities: ['completion', 'vision'] } as const;
const blind = { name: 'worker', capabilities: ['completion'] } as const;

describe('images in a conversation', () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  const start = async (contextLength = 8192): Promise<void> => {
    bench = await AgentBench.start({ models: [{ ...seeing, contextLength }, blind] });
  };
  const attached = async (width: number, path: string): Promise<Attachment> => ({
    kind: 'image',
    path,
    image: await bench.database.images.keep(png(width, 2)),
  });
  const sent = (at: number) => (bench.chats().at(at) as unknown as Sent).messages.filter(({ role }) => role === 'user');

  it('go with their message, in their order, now and in every later request, as bare base64', async () => {
    await start();
    bench.double.script.push('Two dots.', 'The first.');
    const attachments = [await attached(3, 'one.png'), await attached(4, 'two.png')];
    const sessionId = await bench.ask('What is there?', { mode: 'ask', model: 'eyes', attachments });
    await bench.ask('Which is smaller?', { mode: 'ask', model: 'eyes', sessionId });
    const images = [png(3, 2), png(4, 2)].map((bytes) => bytes.toString('base64'));
    const content = 'Attached image: one.png (3 × 2)\n\nAttached image: two.png (4 × 2)\n\nWhat is there?';
    assert.deepEqual(sent(0), [{ role: 'user', content, images }]);
    assert.deepEqual(sent(1), [
      { role: 'user', content, images },
      { role: 'user', content: 'Which is smaller?' },
    ]);
  });

  it('are refused with words where the model cannot look at any, before it is asked', async () => {
    await start();
    const attachments = [await attached(3, 'one.png')];
    const sessionId = await bench.ask('What is there?', { mode: 'ask', model: 'worker', attachments });
    assert.deepEqual(bench.chats(), []);
    const error = bench.view.entries(sessionId).findLast(({ type }) => type === 'error');
    assert.match(error?.content ?? '', /worker:latest cannot read images\. Choose a model with vision/);
    bench.double.script.push('A dot.');
    await bench.controller.retry(sessionId, 'eyes');
    await bench.over(sessionId);
    assert.equal(sent(0)[0]?.images?.length, 1);
  });

  it('keep a sent message and its answer when the model of the resent message cannot look at them', async () => {
    await start();
    bench.double.script.push('A dot.');
    const attachments = [await attached(3, 'one.png')];
    const sessionId = await bench.ask('What is there?', { mode: 'ask', model: 'eyes', attachments });
    const before = await bench.seen(sessionId);
    const seq = bench.view.timeline(sessionId, false).turns[0]?.seq ?? 0;
    const resend = (model: string) => bench.controller.resend({ sessionId, seq, text: 'Look again', mode: 'ask', model });
    await assert.rejects(resend('worker'), /worker:latest cannot read images\. Choose a model with vision/);
    await assert.rejects(resend('gone'), /gone/);
    assert.deepEqual(await bench.seen(sessionId), before);
  });

  it('of earlier messages are named to a model that cannot look at them', async () => {
    await start();
    bench.double.script.push('A dot.', 'I know.');
    const attachments = [await attached(3, 'one.png')];
    const sessionId = await bench.ask('What is there?', { mode: 'ask', model: 'eyes', attachments });
    await bench.ask('And now?', { mode: 'ask', model: 'worker', sessionId });
    assert.match(sent(1)[0]?.content ?? '', /one\.png \(3 × 2\), not shown to you/);
    assert.equal(sent(1)[0]?.images, undefined);
  });

  it('count in the meter as the server counts them', async () => {
    await start();
    await bench.models.refresh();
    const image = (await attached(3, 'one.png')).image;
    const use = async (...attachments: Attachment[]) => {
      const input: EntryInput = { type: 'user_input', content: 'Look', data: { mode: 'ask', attachments } };
      const log = entries(input);
      const about = { sessionId: null, mode: 'ask' as const, model: 'eyes', entries: log, loaded: () => null };
      return (await bench.meter.use(about))?.parts.find(({ kind }) => kind === 'attachments')?.tokens ?? 0;
    };
    assert.equal(await use(), 0);
    // Rounding differences are added to the largest part.
    const counted = await use({ kind: 'image', path: 'one.png', image });
    assert.ok(Math.abs(counted - imageTokens) <= 1, `${counted} tokens`);
  });

  it('that alone are more than the window are left out and said so, and the message is answered', async () => {
    await start(2048);
    bench.double.script.push('I see nothing.');
    const attachments = await Promise.all([3, 4, 5].map((width) => attached(width, `${width}.png`)));
    const sessionId = await bench.ask('What is there?', { mode: 'ask', model: 'eyes', attachments });
    assert.deepEqual(sent(-1)[0]?.images, undefined);
    assert.match(sent(-1)[0]?.content ?? '', /3\.png \(3 × 2\), not shown to you/);
    const outcome = bench.view.entries(sessionId).findLast(({ type }) => type === 'run_end');
    assert.equal(outcome?.type === 'run_end' && outcome.data.outcome, 'done');
  });

  it('of a result are given back with it, unless it is sent shortened', async () => {
    await start();
    const image = await bench.database.images.keep(png(3, 2));
    const log: EntryInput[] = [
      { type: 'user_input', content: 'Look', data: { mode: 'agent', attachments: [] } },
      { type: 'tool_call', data: { callId: 'c', name: 'shot', input: {} } },
      { type: 'tool_result', content: 'Here.', data: { callId: 'c', name: 'shot', status: 'success', images: [image] } },
    ];
    const last = (inputs: EntryInput[], isShown = true) =>
      buildHistory(entries(...inputs), { images: () => (isShown ? 'b64' : undefined) }).at(-1);
    assert.deepEqual([last(log)?.content, last(log)?.images], ['Here.', ['b64']]);
    assert.match(last(log, false)?.content ?? '', /^Here\.\n\[1 image of this result: not shown to you\]$/);
    const limits = [{ throughSeq: 3, characters: 200 }];
    const short: EntryInput = { type: 'system_message', data: { level: 'info', code: 'shortened', limits } };
    assert.equal(last([...log, short])?.images, undefined);
  });
});
