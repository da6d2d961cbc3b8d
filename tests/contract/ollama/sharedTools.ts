import assert from 'node:assert/strict';
import { options, readFileTool, type ContractTarget } from './contractTarget';
import { rawExchange } from './rawHttp';
import { joined, jsonOf, linesOf, normalized, type Line } from './wireShape';

export function toolsContract(target: ContractTarget): void {
  const { models } = target;
  const chat = (body: object) => rawExchange(target.baseUrl(), { path: '/api/chat', body: { options, ...body } });
  const task = { role: 'user', content: 'Read README.md' };
  const tools = [readFileTool];
  const call = { function: { index: 0, name: 'read_file', arguments: { path: 'README.md' } }, id: 'string' };
  const line = (model: string, message: object, final?: string): Line => ({
    model,
    created_at: 'UTC',
    message: { role: 'assistant', content: '', ...message },
    done: final !== undefined,
    ...(final === undefined ? {} : { done_reason: final }),
  });

  describe('tool calls', () => {
    it('come in a line of their own, then an empty final line, where the server renders', async () => {
      const lines = linesOf(await chat({ model: models.tools, messages: [task], tools }));
      assert.deepEqual(lines.map(normalized), [line(models.tools, { tool_calls: [call] }), line(models.tools, {}, 'stop')]);
      const [first] = joined(lines).calls as { id: string }[];
      assert.match(first?.id ?? '', /^call_[a-z0-9]{8}$/);
    });

    it('come in the final line where the runner renders', async () => {
      const lines = linesOf(await chat({ model: models.toolsNative, messages: [task], tools }));
      const old = target.age === '0.17.4';
      const withCall = line(models.toolsNative, { tool_calls: [call] }, old ? undefined : 'stop');
      assert.deepEqual(lines.map(normalized), old ? [withCall, line(models.toolsNative, {}, 'stop')] : [withCall]);
    });

    it('come in the one object of an answer that is not streamed', async () => {
      for (const model of [models.tools, models.toolsNative]) {
        const whole = jsonOf(await chat({ model, messages: [task], tools, stream: false }));
        assert.deepEqual(normalized(whole), line(model, { tool_calls: [call] }, 'stop'));
      }
    });

    it('vanish when the tool was not declared', async () => {
      const other = { type: 'function', function: { ...readFileTool.function, name: 'something_else' } };
      const lines = linesOf(await chat({ model: models.tools, messages: [task], tools: [other] }));
      assert.deepEqual(lines.map(normalized), [line(models.tools, {}, 'stop')]);
    });

    it('are followed by text once their result is in the history', async () => {
      for (const model of [models.tools, models.toolsNative]) {
        const [answer] = joined(linesOf(await chat({ model, messages: [task], tools }))).calls as { id: string }[];
        const assistant = { role: 'assistant', content: '', tool_calls: [answer] };
        const result = {
          role: 'tool',
          tool_name: 'read_file',
          tool_call_id: answer?.id,
          content: '# Sample\n\nA <small> project.',
        };
        const stop = ['[TASK_COMPLETE]', '<|im_end|>'];
        const lines = linesOf(await chat({ model, messages: [task, assistant, result], tools, options: { ...options, stop } }));
        const { content, calls } = joined(lines);
        assert.deepEqual([content.trim(), calls, lines.at(-1)?.done_reason], ['I have read it.', [], 'stop']);
      }
    });
  });
}
