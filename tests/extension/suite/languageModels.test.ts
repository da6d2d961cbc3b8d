import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { OllamaDouble } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';
import { eventually } from '../../support/until';

/** Models of the server, as other extensions see them. */
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

  const offered = () => vscode.lm.selectChatModels({ vendor: 'ollama-copilot' });

  function worker(): Promise<vscode.LanguageModelChat> {
    return eventually(async () => {
      const found = await offered();
      assert.deepEqual(
        found.map(({ id }) => id.replace(/:.*/, '')),
        ['worker'],
      );
      return found[0] ?? assert.fail('no model is offered');
    });
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
    await eventually(() => assert.equal(double.requestsTo('/api/chat').at(-1)?.aborted, true));
    pause.release();
  });

  it('are not offered where the setting says so', async () => {
    await worker();
    await settings().update('languageModels.provide', false, vscode.ConfigurationTarget.Global);
    try {
      await eventually(async () => assert.deepEqual(await offered(), []));
    } finally {
      await settings().update('languageModels.provide', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
