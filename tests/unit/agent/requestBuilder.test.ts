import assert from 'node:assert/strict';
import { buildSystemPrompt } from '../../../src/agent/prompt/promptBuilder';
import { RequestBuilder } from '../../../src/agent/prompt/requestBuilder';
import { Settings } from '../../../src/config/settings';
import type { Entry } from '../../../src/protocol/entries';
import type { ModelInfo } from '../../../src/types/model';
import type { WireTool } from '../../../src/types/ollama';

const model: ModelInfo = {
  name: 'm:latest',
  digest: 'd',
  size: 1,
  family: null,
  parameterSize: null,
  quantization: null,
  capabilities: { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: false },
  contextLength: 8192,
  stop: ['<|end|>'],
  enabled: true,
};
const tool: WireTool = { type: 'function', function: { name: 'read_file', description: 'Read', parameters: { type: 'object' } } };
const asked = { id: 'e', sessionId: 's', seq: 1, revision: 1, type: 'user_input', content: 'Go', timestamp: 1, model: null };
const commandShell = 'zsh on macOS';
const folders = [{ name: 'app', path: '/app' }];

function builder(given: Record<string, unknown> = {}, window = 8192): RequestBuilder {
  return new RequestBuilder(
    new Settings({ get: (key) => given[key] }, () => undefined),
    { folders: () => folders, commandShell: () => commandShell },
    { tokensFor: async () => window },
  );
}

describe('chat requests', () => {
  it('say everything that the server would else decide in silence', async () => {
    const request = await builder().build({ mode: 'agent', model, tools: [tool], entries: [] });
    assert.deepEqual(request, {
      model: 'm:latest',
      messages: [
        {
          role: 'system',
          content: buildSystemPrompt({ mode: 'agent', folders: ['app'], commandShell, hasTools: true, isShort: true }),
        },
      ],
      tools: [tool],
      options: { num_ctx: 8192, temperature: 0.2, repeat_penalty: 1, stop: ['<|end|>', '[TASK_COMPLETE]'], num_predict: 4096 },
      keep_alive: '30m',
      truncate: false,
      shift: false,
    });
  });

  it('have a longer prompt where there is room for it', async () => {
    const prompt = async (window: number): Promise<string> =>
      (await builder({}, window).build({ mode: 'agent', model, tools: [tool], entries: [] })).messages[0]?.content ?? '';
    const short = await prompt(8192);
    const long = await prompt(32_768);
    assert.equal(long, buildSystemPrompt({ mode: 'agent', folders: ['app'], commandShell, hasTools: true }));
    assert.ok(short.length < long.length);
  });

  it('do not name the completion mark as a stop to a model that thinks: the server would cut its thinking there', async () => {
    const thinker = { ...model, capabilities: { ...model.capabilities, thinking: true } };
    const { options } = await builder().build({ mode: 'agent', model: thinker, tools: [tool], entries: [] });
    assert.deepEqual(options, { num_ctx: 8192, temperature: 0.2, repeat_penalty: 1, num_predict: 8192 });
  });

  it('leave the penalty for repetition to a model that sets one', async () => {
    const own = { ...model, ownOptions: ['repeat_penalty', 'stop'] };
    const { options } = await builder().build({ mode: 'ask', model: own, tools: [], entries: [] });
    assert.deepEqual(options, { num_ctx: 8192, temperature: 0.7, num_predict: 4096 });
  });

  it('follow the settings and what the model can do', async () => {
    const settings = {
      'askMode.maxTokens': 100,
      'askMode.temperature': 0,
      'agent.keepAlive': -1,
    };
    const thinker = { ...model, capabilities: { ...model.capabilities, thinking: true } };
    const { messages, ...rest } = await builder(settings, 2048).build({ mode: 'ask', model: thinker, tools: [], entries: [] });
    assert.equal(messages.length, 1);
    assert.deepEqual(rest, {
      model: 'm:latest',
      options: { num_ctx: 2048, temperature: 0, repeat_penalty: 1, num_predict: 100 },
      keep_alive: -1,
      truncate: false,
      shift: false,
      think: true,
    });
  });

  it('limit every answer: by the window, a file that it may rewrite, what a person chose or the model sets', async () => {
    const of = async (content: string, { window = 65_536, own = model, given = {} } = {}) => {
      const attachment = { kind: 'file', path: 'a.ts', content } as const;
      const entries = [{ ...asked, data: { mode: 'agent', attachments: [attachment] } }] as Entry[];
      const request = await builder(given, window).build({ mode: 'agent', model: own, tools: [tool], entries });
      return request.options.num_predict;
    };
    const long = 'x'.repeat(40_000);
    assert.deepEqual(
      [
        await of('short'),
        await of(long),
        await of(long, { window: 2048 }),
        await of(long, { given: { 'agentMode.maxTokens': 99 } }),
        await of(long, { own: { ...model, ownOptions: ['num_predict'] } }),
      ],
      [4096, 16_024, 2048, 99, undefined],
    );
  });

  it('begin with the same bytes each time', async () => {
    const once = JSON.stringify(await builder().build({ mode: 'agent', model, tools: [tool], entries: [] }));
    assert.equal(JSON.stringify(await builder().build({ mode: 'agent', model, tools: [tool], entries: [] })), once);
  });

  it('have a prompt that names the folders, the rules for tools and the mark, and only where they apply', () => {
    const agent = buildSystemPrompt({ mode: 'agent', folders: ['web', 'api'], commandShell, hasTools: true });
    const ask = buildSystemPrompt({ mode: 'ask', folders: ['web', 'api'], commandShell, hasTools: false });
    assert.deepEqual(
      [agent, ask].map((prompt) => [
        prompt.includes('"web", "api"'),
        prompt.includes('call a tool'),
        prompt.includes('Commands run in zsh on macOS.'),
        prompt.includes('[TASK_COMPLETE]'),
      ]),
      [
        [true, true, true, true],
        [true, false, false, false],
      ],
    );
  });
});
