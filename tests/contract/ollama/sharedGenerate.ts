import assert from 'node:assert/strict';
import { options, type ContractTarget } from './contractTarget';
import { rawExchange } from './rawHttp';
import { jsonOf, linesOf, normalized } from './wireShape';

export function generateContract(target: ContractTarget): void {
  const { models } = target;
  const short = { ...options, num_predict: 2 };
  const generate = (body: object) =>
    rawExchange(target.baseUrl(), { path: '/api/generate', body: { model: models.chat, options: short, ...body } });

  describe('generate', () => {
    it('never completes an empty prompt, not even with a suffix', async () => {
      const loaded = { model: models.insert, created_at: 'UTC', response: '', done: true, done_reason: 'load' };
      for (const fields of [{ prompt: '' }, { prompt: '', suffix: 'x' }, {}]) {
        assert.deepEqual(normalized(jsonOf(await generate({ model: models.insert, ...fields }))), loaded);
      }
    });

    it('unloads for an empty prompt with keep_alive 0', async () => {
      const { done_reason } = jsonOf(await generate({ model: models.insert, prompt: '', keep_alive: 0 }));
      assert.equal(done_reason, 'unload');
    });

    it('streams responses, and the context on the final line', async () => {
      const lines = linesOf(await generate({ prompt: 'Tell me about rivers.' }));
      for (const line of lines.slice(0, -1).map(normalized)) {
        assert.deepEqual(line, { model: models.chat, created_at: 'UTC', response: String(line.response), done: false });
      }
      const { context, ...last } = normalized(lines.at(-1) ?? {});
      assert.deepEqual(last, { model: models.chat, created_at: 'UTC', response: '', done: true, done_reason: 'length' });
      assert.ok(Array.isArray(context) && context.length > 0 && context.every(Number.isInteger));
    });

    it('leaves the context out when the prompt is raw', async () => {
      const lines = linesOf(await generate({ prompt: 'Rivers', raw: true }));
      assert.deepEqual(normalized(lines.at(-1) ?? {}), {
        model: models.chat,
        created_at: 'UTC',
        response: '',
        done: true,
        done_reason: 'length',
      });
    });

    it('takes a raw prompt with tokens for the middle, and ends before a stop of the request', async () => {
      const prompt = '<fim_prefix>const numbers = [1, 2, <fim_suffix>];<fim_middle>';
      const asked = { ...options, num_predict: 24, stop: ['\n', '<fim_prefix>'] };
      const lines = linesOf(await generate({ prompt, raw: true, options: asked }));
      const text = lines.map((line) => (line as { response?: string }).response ?? '').join('');
      assert.ok(!text.includes('\n'), JSON.stringify(text));
      assert.ok(['stop', 'length'].includes(String(lines.at(-1)?.done_reason)));
    });

    it('checks the suffix of a raw prompt, too, for a model that cannot insert', async () => {
      const refused = await generate({ prompt: 'a', suffix: 'b', raw: true });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /does not support insert"/);
    });

    it('fills in between prompt and suffix where the model can', async () => {
      const lines = linesOf(await generate({ model: models.insert, prompt: 'const a = ', suffix: ';\n' }));
      assert.equal(lines.at(-1)?.done, true);
    });

    it('puts thinking into a field of its own', async () => {
      const prompt = 'What is the capital of France?';
      const lines = linesOf(await generate({ model: models.thinking, prompt, options }));
      const text = (field: string) => lines.map((line) => (line as Record<string, string | undefined>)[field] ?? '').join('');
      assert.match(text('thinking'), /^The user asks for the capital of France\./);
      assert.equal(text('response'), 'The capital of France is Paris.');
    });
  });
}
