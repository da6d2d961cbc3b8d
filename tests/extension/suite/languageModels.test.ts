import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { OllamaDouble } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';

/** The models of the server, as another extension meets them. */
describe('The models in the editor', () => {
  let double: OllamaDouble;
  const settings = () => vscode.workspace.getConfiguration('ollamaCopilot');

  before(async () => {
    double = await OllamaDouble.start({
      models: [
        { name: 'worker:1b', capabilities: ['completion', 'tools'], contextLength: 4096 },
        { name: 'embedder:1b', capabilities: ['embedding'] },
      ],
    });
    await settings().update('baseUrl', double.url, vscode.ConfigurationTarget.Global);
    await vscode.extensions.getExtension('ollama-copilot.ollama-copilot')?.activate();
  });
  after(async () => {
    await settings().update('baseUrl', undefined, vscode.ConfigurationTarget.Global);
    await double.close();
  });

  async function worker(): Promise<vscode.LanguageModelChat> {
    for (let turn = 0; turn < 100; turn += 1) {
      const found = await vscode.lm.selectChatModels({ vendor: 'ollama-copilot' });
      const model = found.find(({ id }) => id.startsWith('worker'));
      if (model !== undefined) {
        assert.deepEqual(
          found.map(({ id }) => id.replace(/:.*/, '')),
          ['worker'],
        );
        return model;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('The model is not offered');
  }

  const ask = (text: string) => [vscode.LanguageModelChatMessage.User(text)];

  it('are offered with their real window, stream, and count tokens', async () => {
    const model = await worker();
    assert.equal(model.maxInputTokens, 4096);
    assert.ok((await model.countTokens('four words of text')) > 2);
    double.script.push(['Hello ', 'there.']);
    const response = await model.sendRequest(ask('Hi'), {}, new vscode.CancellationTokenSource().token);
    let text = '';
    for await (const part of response.text) text += part;
    assert.equal(text, 'Hello there.');
    const body = double.requestsTo('/api/chat').at(-1)?.body as Record<string, unknown>;
    assert.deepEqual(body['options'], { num_ctx: 4096, repeat_penalty: 1 });
    assert.deepEqual([body['truncate'], body['shift'], body['messages']], [false, false, [{ role: 'user', content: 'Hi' }]]);
  });

  it('call tools, and read their results', async () => {
    const model = await worker();
    double.script.push([{ call: { name: 'add', arguments: { a: 1, b: 2 } } }], ['Three.']);
    const tools = [{ name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: {}, b: {} } } }];
    const { token } = new vscode.CancellationTokenSource();
    const first = await model.sendRequest(ask('1 + 2?'), { tools }, token);
    const calls: vscode.LanguageModelToolCallPart[] = [];
    for await (const part of first.stream) if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
    const [call] = calls;
    assert.ok(call);
    assert.deepEqual([call.name, call.input], ['add', { a: 1, b: 2 }]);
    const result = new vscode.LanguageModelToolResultPart(call.callId, [new vscode.LanguageModelTextPart('3')]);
    const messages = [
      ...ask('1 + 2?'),
      vscode.LanguageModelChatMessage.Assistant([call]),
      vscode.LanguageModelChatMessage.User([result]),
    ];
    const second = await model.sendRequest(messages, { tools }, token);
    let text = '';
    for await (const part of second.text) text += part;
    assert.equal(text, 'Three.');
    const body = double.requestsTo('/api/chat').at(-1)?.body as { messages: Record<string, unknown>[] };
    assert.deepEqual(
      body.messages.map(({ role, tool_name: name, content }) => [role, name, content]),
      [
        ['user', undefined, '1 + 2?'],
        ['assistant', undefined, ''],
        ['tool', 'add', '3'],
      ],
    );
  });

  it('leave the server free when they are cancelled', async () => {
    const model = await worker();
    const pause = hold();
    double.script.push(['One ', pause.step, 'two']);
    const source = new vscode.CancellationTokenSource();
    const response = await model.sendRequest(ask('Count'), {}, source.token);
    const read = (async () => {
      for await (const part of response.text) if (part !== '') source.cancel();
    })().catch(() => undefined);
    await read;
    // Fifty times 20 ms: the server is free within a second.
    for (let turn = 0; turn < 50 && double.requestsTo('/api/chat').at(-1)?.aborted !== true; turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(double.requestsTo('/api/chat').at(-1)?.aborted, true);
    pause.release();
  });

  it('are not offered where the setting says so', async () => {
    await worker();
    await settings().update('languageModels.provide', false, vscode.ConfigurationTarget.Global);
    try {
      for (let turn = 0; turn < 100; turn += 1) {
        if ((await vscode.lm.selectChatModels({ vendor: 'ollama-copilot' })).length === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.fail('They are still offered');
    } finally {
      await settings().update('languageModels.provide', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
