import assert from 'node:assert/strict';
import { options, type ContractTarget } from './contractTarget';
import { leaveAfterFirstBytes, rawExchange } from './rawHttp';
import { jsonOf, linesOf } from './wireShape';

export function schedulingContract(target: ContractTarget): void {
  const { models } = target;
  const request = (num_predict: number) => ({
    path: '/api/generate',
    body: { model: models.chat, prompt: '1, 2, 3, 4, 5, 6,', raw: true, options: { ...options, num_predict } },
  });

  describe('scheduling', () => {
    it('frees the model when its client leaves', async () => {
      await leaveAfterFirstBytes(target.baseUrl(), request(2000));
      const lines = linesOf(await rawExchange(target.baseUrl(), request(1)));
      assert.equal(lines.at(-1)?.done, true);
    });

    it('answers a request to load at once while the loaded model works, and loads nothing anew', async () => {
      const { model, options: used } = request(400).body;
      let isOver = false;
      let hasBegun = (): void => undefined;
      const begun = new Promise<void>((resolve) => (hasBegun = resolve));
      const long = rawExchange(target.baseUrl(), request(400), { bytes: hasBegun }).then(() => (isOver = true));
      await begun;
      const { num_ctx } = used;
      const body = { model, messages: [], stream: false, options: { num_ctx } };
      const line = jsonOf(await rawExchange(target.baseUrl(), { path: '/api/chat', body }));
      assert.deepEqual([line['done_reason'], isOver], ['load', false]);
      await long;
    });

    it('serves requests to one model in the order of their arrival', async () => {
      const order: number[] = [];
      const started: Promise<unknown>[] = [];
      // The first request takes longest, so that any other order would be detected.
      for (const [place, tokens] of [40, 10, 1].entries()) {
        const isSent = new Promise<void>((resolve) => {
          const exchange = rawExchange(target.baseUrl(), request(tokens), { sent: resolve });
          started.push(exchange.then(() => order.push(place)));
        });
        await isSent;
        // A real server reads each connection in a separate thread.
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      await Promise.all(started);
      assert.deepEqual(order, [0, 1, 2]);
    });
  });
}
