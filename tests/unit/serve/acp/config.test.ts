import assert from 'node:assert/strict';
import type { NewSessionResponse, SessionConfigOption, SetSessionConfigOptionResponse } from '@agentclientprotocol/sdk';
import { hold } from '../../../support/ollama/doubleReply';
import { until } from '../../../support/until';
import { Workplace } from './workplace';

const capabilities = ['completion', 'tools', 'thinking'] as const;
const models = [
  { name: 'worker', capabilities: [...capabilities], thinking: { values: ['low', 'medium', 'high'], default: 'medium' } },
  { name: 'other', capabilities: [...capabilities] },
  { name: 'embedder', capabilities: ['embedding' as const] },
];

/** Returns the current value and the possible values of each option by its id. */
function valuesOf(options: readonly SessionConfigOption[] | null | undefined) {
  return Object.fromEntries(
    (options ?? []).map((option) => [
      option.id,
      option.type === 'select' ? [option.currentValue, option.options.map((one) => ('value' in one ? one.value : ''))] : [],
    ]),
  );
}

describe('config options of the Agent Client Protocol', () => {
  let work: Workplace;

  beforeEach(async () => {
    work = await Workplace.open(models);
  });

  afterEach(() => work.close());

  async function begin(): Promise<NewSessionResponse> {
    await work.editor.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    return work.editor.request('session/new', { cwd: work.folder, mcpServers: [] });
  }

  const set = (sessionId: string, configId: string, value: unknown) =>
    work.editor.request<SetSessionConfigOptionResponse>('session/set_config_option', { sessionId, configId, value });

  it('are mode, model and thinking level, each with its current value', async () => {
    const { configOptions, modes } = await begin();
    assert.deepEqual(valuesOf(configOptions), {
      mode: ['agent', ['agent', 'plan', 'ask']],
      model: ['worker:latest', ['other:latest', 'worker:latest']],
      thinking: ['medium', ['low', 'medium', 'high']],
    });
    assert.deepEqual(
      configOptions?.map(({ category }) => category),
      ['mode', 'model', 'thought_level'],
    );
    assert.equal(modes?.currentModeId, 'agent');
  });

  it('are used for the next message', async () => {
    const { sessionId } = await begin();
    await set(sessionId, 'thinking', 'high');
    await set(sessionId, 'mode', 'ask');
    work.double.script.push('Hello.');
    await work.editor.prompt(sessionId, 'Hello');
    const { model, think, tools } = work.double.requestsTo('/api/chat').at(-1)?.body as Record<string, unknown>;
    assert.deepEqual([model, think], ['worker:latest', 'high']);
    assert.doesNotMatch(JSON.stringify(tools), /replace_in_file/);
  });

  it('are answered with all options, as the levels depend on the model', async () => {
    const { sessionId } = await begin();
    const answer = await set(sessionId, 'model', 'other:latest');
    assert.deepEqual(Object.keys(valuesOf(answer.configOptions)), ['mode', 'model']);
    work.double.script.push('Hello.');
    await work.editor.prompt(sessionId, 'Hello');
    assert.equal((work.double.requestsTo('/api/chat').at(-1)?.body as { model: string }).model, 'other:latest');
  });

  it('refuse unknown options and values by name', async () => {
    const { sessionId } = await begin();
    await assert.rejects(set(sessionId, 'colour', 'red'), { code: -32602, message: /Unknown option: colour/ });
    await assert.rejects(set(sessionId, 'model', 'embedder:latest'), {
      code: -32602,
      message: /Unknown value of model: embedder/,
    });
    const wrong = { sessionId, configId: 'thinking', type: 'boolean', value: true };
    await assert.rejects(work.editor.request('session/set_config_option', wrong), /Unknown value of thinking: true/);
  });

  it('keep the modes of older clients in step, both ways', async () => {
    // The available commands are announced once they are read, so their updates can arrive at any point.
    const told = () => work.editor.updates.filter(({ sessionUpdate }) => sessionUpdate !== 'available_commands_update');
    const { sessionId } = await begin();
    await set(sessionId, 'mode', 'plan');
    await until(() => told().some((update) => update.sessionUpdate === 'current_mode_update'));
    assert.deepEqual(told().at(-1), { sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
    await work.editor.request('session/set_mode', { sessionId, modeId: 'ask' });
    await until(() => told().at(-1)?.sessionUpdate === 'config_option_update');
    const update = told().at(-1);
    const values = update?.sessionUpdate === 'config_option_update' ? valuesOf(update.configOptions) : {};
    assert.deepEqual(values['mode'], ['ask', ['agent', 'plan', 'ask']]);
  });

  it('change the model of a run from its next step on', async () => {
    const { sessionId } = await begin();
    const held = hold();
    const read = `<tool_call>${JSON.stringify({ name: 'read_file', arguments: { path: 'main.py' } })}</tool_call>`;
    work.double.script.push([held.step, read], 'It counts. [TASK_COMPLETE]');
    const prompted = work.editor.prompt(sessionId, 'What is it?');
    await until(() => work.double.requestsTo('/api/chat').length >= 1);
    await set(sessionId, 'model', 'other:latest');
    held.release();
    await prompted;
    const asked = work.double.requestsTo('/api/chat').map(({ body }) => (body as { model: string }).model);
    assert.deepEqual([asked.at(0), asked.at(-1)], ['worker:latest', 'other:latest']);
  });

  it('come back with a loaded session', async () => {
    const { sessionId } = await begin();
    await set(sessionId, 'mode', 'plan');
    await set(sessionId, 'model', 'other:latest');
    work.double.script.push('A plan.');
    await work.editor.prompt(sessionId, 'Plan it');
    const editor = await work.restart();
    await editor.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const { configOptions, modes } = await editor.request<NewSessionResponse>('session/load', {
      sessionId,
      cwd: work.folder,
      mcpServers: [],
    });
    const { mode, model } = valuesOf(configOptions);
    assert.deepEqual([mode?.[0], model?.[0], modes?.currentModeId], ['plan', 'other:latest', 'plan']);
  });
});
