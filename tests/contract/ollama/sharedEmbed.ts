import assert from 'node:assert/strict';
import type { ContractTarget } from './contractTarget';
import { rawExchange } from './rawHttp';
import { jsonOf } from './wireShape';

export function embedContract(target: ContractTarget): void {
  const { models } = target;
  const embed = (fields: object) =>
    rawExchange(target.baseUrl(), { path: '/api/embed', body: { model: models.embed, ...fields } });
  const vectors = async (fields: object) => (jsonOf(await embed(fields)) as unknown as { embeddings: number[][] }).embeddings;
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

  describe('embed', () => {
    it('keeps the order of its inputs and normalises to length 1', async () => {
      const [cat = [], dog = [], again = []] = await vectors({ input: ['a cat on a mat', 'ships in a storm', 'a cat on a mat'] });
      assert.deepEqual([cat.length, dog.length, again.length], [384, 384, 384]);
      for (const vector of [cat, dog]) assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-3);
      assert.ok(dot(cat, again) > 0.999);
      assert.ok(dot(cat, dog) < 0.9);
    });

    it('takes one string as one input', async () => {
      const answer = jsonOf(await embed({ input: 'a cat' }));
      assert.deepEqual(Object.keys(answer), ['model', 'embeddings', 'total_duration', 'load_duration', 'prompt_eval_count']);
      assert.deepEqual([answer.model, (answer.embeddings as unknown[]).length], [models.embed, 1]);
    });

    it('cuts to the dimensions asked for and normalises again', async () => {
      const [short = []] = await vectors({ input: 'a cat on a mat with a hat', dimensions: 64 });
      assert.equal(short.length, 64);
      assert.ok(Math.abs(dot(short, short) - 1) < 1e-3);
    });

    it('answers an empty list for no input', async () => {
      for (const fields of [{}, { input: '' }, { input: [] }]) {
        assert.deepEqual(jsonOf(await embed(fields)), { model: models.embed, embeddings: [] });
      }
    });

    it('cuts long texts in silence, or fails all of them when it may not', async () => {
      const long = 'alpha beta gamma '.repeat(600);
      const cut = jsonOf(await embed({ input: long }));
      assert.ok(Number(cut.prompt_eval_count) <= 512);
      const { status, text } = await embed({ input: ['short', long], truncate: false });
      assert.deepEqual({ status, text }, { status: 400, text: '{"error":"the input length exceeds the context length"}' });
    });

    it('has an older form for one prompt', async () => {
      const ask = (prompt: string) =>
        rawExchange(target.baseUrl(), { path: '/api/embeddings', body: { model: models.embed, prompt } });
      const { embedding } = jsonOf(await ask('a cat')) as { embedding?: number[] };
      assert.equal(embedding?.length, 384);
      assert.deepEqual(jsonOf(await ask('')), { embedding: [] });
    });

    it('is refused by models that only complete, but for old servers', async () => {
      const answer = await embed({ model: models.chat, input: 'x' });
      const refusal = { status: 501, text: '{"error":"This server does not support embeddings. Start it with `--embeddings`"}' };
      if (target.age === '0.17.4') assert.equal(answer.status, 200);
      else assert.deepEqual({ status: answer.status, text: answer.text }, refusal);
    });
  });
}
