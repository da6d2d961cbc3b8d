import assert from 'node:assert/strict';
import { Ollama } from 'ollama';
import { options, readFileTool, type ContractTarget } from './contractTarget';

/** Tests with the official client, which represents all clients that were not written for this double. */
export function clientContract(target: ContractTarget): void {
  const { models } = target;
  const client = () => new Ollama({ host: target.baseUrl() });

  describe('the official client', () => {
    it('streams an answer with thinking', async () => {
      const messages = [{ role: 'user', content: 'What is the capital of France?' }];
      const stream = await client().chat({ model: models.thinking, messages, options, stream: true });
      const seen = { content: '', thinking: '', done: false };
      for await (const part of stream) {
        seen.content += part.message.content;
        seen.thinking += part.message.thinking ?? '';
        seen.done = part.done;
      }
      assert.deepEqual([seen.content, seen.done], ['The capital of France is Paris.', true]);
      assert.match(seen.thinking, /^The user asks/);
    });

    it('receives a tool call', async () => {
      const messages = [{ role: 'user', content: 'Read README.md' }];
      const { message, done_reason } = await client().chat({ model: models.tools, messages, tools: [readFileTool], options });
      const [call] = message.tool_calls ?? [];
      assert.deepEqual(
        [call?.function.name, call?.function.arguments, done_reason],
        ['read_file', { path: 'README.md' }, 'stop'],
      );
    });

    it('aborts a stream', async () => {
      const own = client();
      const prompt = '1, 2, 3, 4, 5, 6,';
      const stream = await own.generate({
        model: models.chat,
        prompt,
        raw: true,
        stream: true,
        options: { ...options, num_predict: 2000 },
      });
      await assert.rejects(
        async () => {
          for await (const part of stream) if (!part.done) own.abort();
        },
        { name: 'AbortError' },
      );
    });

    it('embeds, lists, shows and sees what runs', async () => {
      const own = client();
      const { embeddings } = await own.embed({ model: models.embed, input: ['a', 'b'] });
      assert.deepEqual(
        embeddings.map((vector) => vector.length),
        [384, 384],
      );
      const names = (await own.list()).models.map((model) => model.name);
      assert.ok(names.includes(`${models.chat}:latest`));
      assert.deepEqual((await own.show({ model: models.embed })).capabilities, ['embedding']);
      const running = (await own.ps()).models.map((model) => model.name);
      assert.ok(running.includes(`${models.embed}:latest`));
    });

    it('reports the words of an error', async () => {
      await assert.rejects(client().show({ model: '' }), {
        name: 'ResponseError',
        message: 'model is required',
        status_code: 400,
      });
    });
  });
}
