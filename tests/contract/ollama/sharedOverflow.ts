import assert from 'node:assert/strict';
import type { ContractTarget } from './contractTarget';
import { rawExchange, type RawAnswer } from './rawHttp';
import { linesOf, type Line } from './wireShape';

const options = { num_ctx: 1024, temperature: 0, num_predict: 2 };
const long = 'alpha beta gamma delta '.repeat(1200);

export function overflowContract(target: ContractTarget): void {
  const { models, age } = target;
  const old = age === '0.17.4';
  const chat = (model: string, fields: object, content = long) =>
    rawExchange(target.baseUrl(), {
      path: '/api/chat',
      body: { model, messages: [{ role: 'user', content }], options, ...fields },
    });
  const generate = (fields: object) =>
    rawExchange(target.baseUrl(), {
      path: '/api/generate',
      body: { model: models.chat, prompt: long, raw: true, options, ...fields },
    });

  describe('a prompt longer than the window', () => {
    it('is refused when nothing may be cut', async () => {
      const answers = [
        await chat(models.chat, { truncate: false, shift: false }),
        await chat(models.chat, { truncate: false }),
        await chat(models.chat, { truncate: false, stream: false }),
        await generate({ truncate: false, shift: false }),
      ];
      for (const answer of answers) assertRefused(answer, old);
    });

    it('is refused by the runner that renders, even where it might be cut', async () => {
      if (old) assert.equal((await chat(models.toolsNative, { truncate: false })).status, 400);
      // The last message alone is too long, so nothing is left to drop.
      else assertRefused(await chat(models.toolsNative, {}), old);
    });

    it('is refused in other words when only shift is off', async () => {
      const answer = await chat(models.chat, { shift: false });
      const text =
        '{"error":"the prompt is longer than the context length currently available to the model; shorten the prompt, ' +
        'adjust the context length in settings, or use a model with a longer context length"}';
      if (old) assert.equal(answer.status, 200);
      else assert.deepEqual(answer, { status: 400, contentType: 'application/json', text });
    });

    it('loses its middle in silence by default, down to about half of the window', async () => {
      const last = linesOf(await generate({})).at(-1) ?? {};
      assert.deepEqual([last.done, last.prompt_eval_count], [true, 514]);
    });

    it('loses its oldest messages in silence by default', async () => {
      const messages = [
        { role: 'user', content: long },
        { role: 'assistant', content: 'Yes.' },
        { role: 'user', content: 'Hello' },
      ];
      const last = linesOf(await chat(models.chat, { messages })).at(-1) ?? {};
      assert.equal(last.done, true);
      assert.ok(Number(last.prompt_eval_count) < 64, `prompt_eval_count ${String(last.prompt_eval_count)}`);
    });
  });

  describe('a window that fills up while the model writes', () => {
    it('ends the answer with length when shift is off', async () => {
      const body = {
        model: models.chat,
        prompt: '1, 2, 3, 4, 5, 6,',
        raw: true,
        shift: false,
        options: { num_ctx: 64, temperature: 0, num_predict: 500 },
      };
      const last = linesOf(await rawExchange(target.baseUrl(), { path: '/api/generate', body })).at(-1) ?? {};
      assert.deepEqual([last.done, last.done_reason], [true, 'length']);
    });
  });
}

function assertRefused(answer: RawAnswer, old: boolean): void {
  assert.equal(answer.status, 400, answer.text);
  const { error } = JSON.parse(answer.text) as { error: string };
  if (old) {
    assert.equal(error, 'the input length exceeds the context length');
    return;
  }
  const inner = JSON.parse(error) as { error: Line };
  const tokens = Number(inner.error.n_prompt_tokens);
  assert.ok(tokens > 1024);
  assert.deepEqual(inner, {
    error: {
      code: 400,
      message: `request (${tokens} tokens) exceeds the available context size (1024 tokens), try increasing it`,
      type: 'exceed_context_size_error',
      n_prompt_tokens: tokens,
      n_ctx: 1024,
    },
  });
}
