import assert from 'node:assert/strict';
import { KeptRequests } from '../../../src/services/model/client/keptRequests';
import type { OllamaClient } from '../../../src/services/model/client/ollamaClient';
import { subagentSession } from '../../../src/types/modelExchange';
import { OllamaDouble } from '../../support/ollama/double';
import { chatRequest, collect, makeClient, rejection } from './support/client';

describe('KeptRequests', () => {
  let double: OllamaDouble;
  let client: OllamaClient;
  let limit: number;
  let kept: KeptRequests;

  beforeEach(async () => {
    double = await OllamaDouble.start({ models: [{ name: 'm', loadDelayMs: 0 }] });
    ({ client } = makeClient(`${double.url}/`));
    limit = 3;
    kept = new KeptRequests(client.onDidExchange, () => limit);
  });
  afterEach(async () => {
    kept.dispose();
    client.dispose();
    await double.close();
  });

  const ask = (content: string, turn: number, sessionId = 's') =>
    collect(client.chat({ ...chatRequest, messages: [{ role: 'user', content }] }, { origin: { sessionId, turn } }));
  const texts = (list: readonly { body: object }[]) =>
    list.map(({ body }) => (body as typeof chatRequest).messages.map(({ content }) => content).join());

  it('keeps the body as it is on the wire and the figures of the last part', async () => {
    double.script.push('Hello');
    await ask('Hi', 4);
    const [exchange] = kept.ofTurn('s', 4);
    assert.equal(JSON.stringify(exchange?.body), double.requestsTo('/api/chat').at(-1)?.rawBody);
    const { model, address, path, isLoad } = exchange ?? {};
    assert.deepEqual({ model, address, path, isLoad }, { model: 'm', address: double.url, path: '/api/chat', isLoad: false });
    assert.equal(exchange?.metrics?.eval_count, 2);
    assert.ok((exchange?.metrics?.total_duration ?? 0) > 0);
  });

  it('keeps the last ones only, and none without a limit', async () => {
    for (const [turn, text] of ['a', 'b', 'c', 'd'].entries()) await ask(text, turn);
    assert.deepEqual(texts(kept.all()), ['b', 'c', 'd']);
    assert.deepEqual(kept.ofTurn('s', 0), []);
    limit = 1;
    assert.deepEqual(texts(kept.all()), ['d']);
    limit = 0;
    await ask('e', 9);
    assert.deepEqual(kept.all(), []);
  });

  it('finds the requests of a message, with those of its subagents, and of no other chat', async () => {
    limit = 20;
    await ask('other', 1, 'other');
    await ask('first', 1);
    await ask('subagent', 1, subagentSession('s'));
    await ask('second', 1);
    await ask('subagent of the next', 1, subagentSession('s'));
    await ask('next', 8);
    assert.deepEqual(texts(kept.ofTurn('s', 1)), ['first', 'subagent', 'second']);
    assert.deepEqual(texts(kept.ofTurn('s', 8)), ['next']);
  });

  it('keeps a failed request without figures, and neither loads nor inline suggestions', async () => {
    await client.load({ model: 'm', options: { num_ctx: 1024 }, keep_alive: '5m' });
    const { model, options, keep_alive, truncate, shift } = chatRequest;
    await collect(client.generate({ model, options, keep_alive, truncate, shift, prompt: 'x' }));
    assert.deepEqual(kept.all(), []);
    double.script.push({ refuse: { status: 400, message: 'no' } });
    await rejection(ask('Hi', 1));
    assert.deepEqual(
      kept.all().map(({ metrics }) => metrics),
      [null],
    );
  });

  it('keeps a request that its reader left', async () => {
    double.script.push('One two three');
    for await (const chunk of client.chat(chatRequest, { origin: { sessionId: 's', turn: 1 } })) if (!chunk.done) break;
    assert.equal(kept.ofTurn('s', 1)[0]?.metrics, null);
  });
});
