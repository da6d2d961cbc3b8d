import assert from 'node:assert/strict';
import { options, type ContractTarget } from './contractTarget';
import { rawExchange } from './rawHttp';
import { joined, jsonOf, linesOf, normalized } from './wireShape';

export function chatContract(target: ContractTarget): void {
  const { models } = target;
  const chat = (fields: object) =>
    rawExchange(target.baseUrl(), { path: '/api/chat', body: { model: models.chat, options, ...fields } });
  const messages = [{ role: 'user', content: 'Tell me about rivers.' }];
  const capital = [{ role: 'user', content: 'What is the capital of France?' }];

  describe('chat', () => {
    it('loads for an empty list of messages, and echoes the name as sent', async () => {
      const model = models.chat.toUpperCase();
      assert.deepEqual(normalized(jsonOf(await chat({ model, messages: [] }))), {
        model,
        created_at: 'UTC',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'load',
      });
    });

    it('streams pieces and ends with one final line that has the metrics', async () => {
      const lines = linesOf(await chat({ messages, options: { ...options, num_predict: 3 } }));
      const { eval_count } = lines.at(-1) ?? {};
      assert.equal(eval_count, 3);
      const pieces = lines.slice(0, -1).map(normalized);
      assert.ok(pieces.length > 0);
      for (const piece of pieces) {
        const { content } = piece.message as { content: string };
        const message = { role: 'assistant', content };
        assert.deepEqual(piece, { model: models.chat, created_at: 'UTC', message, done: false });
        assert.notEqual(content, '');
      }
      assert.deepEqual(normalized(lines.at(-1) ?? {}), {
        model: models.chat,
        created_at: 'UTC',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'length',
      });
    });

    it('answers in one object without a newline when it is not to stream', async () => {
      const whole = jsonOf(await chat({ messages, stream: false, options: { ...options, num_predict: 3 } }));
      const streamed = joined(linesOf(await chat({ messages, options: { ...options, num_predict: 3 } })));
      assert.deepEqual(normalized(whole), {
        model: models.chat,
        created_at: 'UTC',
        message: { role: 'assistant', content: streamed.content },
        done: true,
        done_reason: 'length',
      });
    });

    it('strips a stop sequence and ends with stop', async () => {
      const stopped = linesOf(
        await chat({ model: models.thinking, think: false, messages: capital, options: { ...options, stop: [' is Paris'] } }),
      );
      assert.match(joined(stopped).content, /The capital of France$/);
      assert.equal(stopped.at(-1)?.done_reason, 'stop');
    });

    it('thinks in a field of its own, also when think is left out', async () => {
      for (const fields of [{ think: true }, {}]) {
        const answer = joined(linesOf(await chat({ model: models.thinking, messages: capital, ...fields })));
        assert.match(answer.thinking, /^The user asks for the capital of France\./);
        assert.deepEqual([answer.content, answer.calls], ['The capital of France is Paris.', []]);
      }
    });

    it('writes its thinking as tags into the content when think is false', async () => {
      const answer = joined(linesOf(await chat({ model: models.thinking, messages: capital, think: false })));
      assert.equal(answer.thinking, '');
      assert.match(
        answer.content,
        /^<think>\s*The user asks for the capital of France\.[^]*<\/think>\s*The capital of France is Paris\.$/,
      );
    });

    it('accepts think false for a model that cannot think', async () => {
      const lines = linesOf(await chat({ messages, think: false, options: { ...options, num_predict: 1 } }));
      assert.equal(lines.at(-1)?.done, true);
    });

    it('ignores options that it does not know', async () => {
      const lines = linesOf(
        await chat({ messages, options: { ...options, num_predict: 1, mirostat: 2, nonsense: 'x', seed: null } }),
      );
      assert.equal(lines.at(-1)?.done, true);
    });
  });
}
