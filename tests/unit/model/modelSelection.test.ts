import assert from 'node:assert/strict';
import { Settings } from '../../../src/config/settings';
import { modelsState, selectedModel } from '../../../src/services/model/modelSelection';
import type { ModelInfo } from '../../../src/types/model';
import { chatModes } from '../../../src/types/modes';

const none = { chat: true, fim: false, tools: false, vision: false, embedding: false, thinking: false };

function model(name: string, size: number, capabilities: Partial<ModelInfo['capabilities']> = {}): ModelInfo {
  return {
    name,
    size,
    digest: name,
    family: null,
    parameterSize: null,
    quantization: null,
    contextLength: null,
    stop: [],
    capabilities: { ...none, ...capabilities },
    enabled: true,
  };
}

describe('the automatic model', () => {
  const settings = new Settings({ get: () => undefined }, () => undefined);
  const chosen = (...models: ModelInfo[]) =>
    Object.fromEntries(chatModes.map((mode) => [mode, selectedModel(mode, settings, models)]));
  const coder = model('qwen2.5-coder:7b', 4.7e9, { tools: true, fim: true });

  it('is a general model in Ask and the first with tools elsewhere', () => {
    const small = model('gemma3:1b', 0.8e9);
    const general = model('llama3.1:8b', 4.9e9, { tools: true });
    const work = { agent: coder.name, plan: coder.name, edit: coder.name };
    assert.deepEqual(chosen(coder, small, general), { ...work, ask: general.name });
    assert.deepEqual(chosen(coder, small), { ...work, ask: coder.name });
    assert.equal(chosen(small, coder, general)['ask'], small.name);
  });

  it('goes by the name where a coder model has no fill-in-the-middle', () => {
    const named = model('qwen3-coder:30b', 19e9, { tools: true });
    const general = model('gemma3:27b', 17e9);
    assert.equal(chosen(named, general)['ask'], general.name);
  });

  it('stays when the order of the list changes, while it is suitable', () => {
    const other = model('qwen3:8b', 5e9, { tools: true });
    assert.equal(selectedModel('agent', settings, [other, coder], coder.name), coder.name);
    assert.equal(selectedModel('agent', settings, [other, { ...coder, enabled: false }], coder.name), other.name);
    assert.equal(selectedModel('agent', settings, [other], coder.name), other.name);
    assert.equal(selectedModel('agent', settings, [other, model('gemma3:1b', 1e9)], 'gemma3:1b'), other.name);
  });

  it('is a cloud model only without a local one', () => {
    const cloud = model('gpt-oss:120b-cloud', 4.7e9, { tools: true });
    assert.equal(chosen(cloud, coder)['ask'], coder.name);
    assert.equal(chosen(cloud)['ask'], cloud.name);
  });
});

describe('the model picked in the chat', () => {
  const settingsWith = (values: Record<string, string>) => new Settings({ get: (key) => values[key] }, () => undefined);
  const list = { models: [model('first:8b', 5e9, { tools: true })], fetchedAt: 0, stale: false };
  const state = (values: Record<string, string>) => modelsState(list, new Map(), settingsWith(values));

  it('is used in each mode without a model of its own', () => {
    const { selected, ownModes } = state({ 'chat.model': 'picked:4b', 'askMode.model': 'own:1b', 'planMode.model': 'picked:4b' });
    assert.deepEqual(selected, { agent: 'picked:4b', plan: 'picked:4b', ask: 'own:1b', edit: 'picked:4b' });
    assert.deepEqual(ownModes, ['ask']);
  });

  it('is named with the modes that use it, which the settings give no model', () => {
    const { picked } = state({ 'chat.model': 'picked:4b', 'askMode.model': 'own:1b', 'planMode.model': 'picked:4b' });
    assert.deepEqual(picked, { model: 'picked:4b', modes: ['agent', 'edit'] });
    assert.equal(state({ 'askMode.model': 'own:1b' }).picked, undefined);
  });

  it('leaves modes alone when none is picked', () => {
    const { selected, ownModes } = state({ 'askMode.model': 'own:1b' });
    assert.deepEqual(selected, { agent: 'first:8b', plan: 'first:8b', ask: 'own:1b', edit: 'first:8b' });
    assert.equal(ownModes, undefined);
  });
});
