import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { Settings } from '../../../src/config/settings';
import { unknownCapabilities } from '../../../src/services/model/catalogue/modelCompatibility';
import { modelsState } from '../../../src/services/model/modelSelection';
import type { ModelInfo } from '../../../src/types/model';
import { selectModel } from '../../../src/vscode/commands/modelCommands';
import { editor, editorCalls } from '../../support/fakeEditor';
import { FakeQuickPick } from '../../support/fakeEditorTypes';
import { eventually } from '../../support/until';

const address = 'http://localhost:11434';
const problem = 'Ollama does not respond at http://localhost:11434.';
const model: ModelInfo = {
  name: 'qwen3:8b',
  digest: 'd',
  size: 1,
  modifiedAt: '',
  family: '',
  parameterSize: null,
  quantization: null,
  contextLength: 1,
  capabilities: { ...unknownCapabilities, chat: true },
  stop: [],
  enabled: true,
};

describe('The list of models to select', () => {
  let isUp: boolean;
  let known: ModelInfo[];
  let selecting: Promise<void>;
  const settings = new Settings({ get: () => undefined }, () => undefined);
  const catalog = {
    state: () =>
      Promise.resolve(
        modelsState({ models: known, stale: !isUp, fetchedAt: null }, new Map(), settings, isUp ? undefined : problem),
      ),
    refresh: () => {
      if (isUp) known = [model];
      return Promise.resolve();
    },
    pick: (_mode: string, _model: string, save: () => Promise<void>) => save(),
  };

  beforeEach(() => {
    FakeQuickPick.isAttended = true;
    isUp = false;
    known = [];
    editorCalls.length = 0;
  });
  afterEach(() => {
    FakeQuickPick.last?.hide();
    FakeQuickPick.isAttended = false;
    editor.userSettings.clear();
  });

  async function open(baseUrl = address): Promise<FakeQuickPick> {
    selecting = selectModel(catalog, 'agent', baseUrl);
    const list = FakeQuickPick.last;
    assert.ok(list);
    await eventually(() => assert.equal(list.busy, false));
    return list;
  }
  const commands = () => editorCalls.filter(({ name }) => name === 'executeCommand').map(({ args }) => args[0]);

  it('says without a server what is wrong and what to do', async () => {
    const list = await open();
    assert.deepEqual(list.labels, ['Try again', 'Change the server address', 'How to start Ollama']);
    const [first] = list.items;
    assert.equal(first?.description, `No connection to ${address}`);
    assert.equal(first.detail, problem);
  });

  it('opens the settings to change the address', async () => {
    (await open()).accept('Change the server address');
    await selecting;
    assert.deepEqual(commands(), ['ollamaCopilot.openSettings']);
  });

  it('explains how to start Ollama only if it runs on this computer', async () => {
    (await open()).accept('How to start Ollama');
    await selecting;
    assert.deepEqual(commands(), ['ollamaCopilot.openWalkthrough']);
    assert.deepEqual((await open('http://gpu.lan:11434')).labels, ['Try again', 'Change the server address']);
  });

  it('lists the models again after the server has started', async () => {
    const list = await open();
    isUp = true;
    list.accept('Try again');
    await eventually(() => assert.deepEqual(list.labels, ['qwen3:8b']));
    list.accept('qwen3:8b');
    await selecting;
    assert.ok(editorCalls.some(({ name, args }) => name === 'updateSetting' && args.includes('qwen3:8b')));
    assert.deepEqual(commands(), []);
  });

  it('lists the models of the last list as last seen', async () => {
    known = [model];
    const list = await open();
    assert.deepEqual(
      list.items.map(({ label }) => label),
      ['Try again', 'Change the server address', 'How to start Ollama', 'Last known models', 'qwen3:8b'],
    );
    list.accept('qwen3:8b');
    await selecting;
    assert.ok(editorCalls.some(({ name, args }) => name === 'updateSetting' && args.includes('qwen3:8b')));
  });

  it('shows only the models with a server', async () => {
    isUp = true;
    assert.deepEqual((await open()).labels, ['qwen3:8b']);
  });
});
