import { afterEach, describe, expect, it } from 'vitest';
import { RequestFailure } from '../../src/protocol/rpc';
import type { SettingState } from '../../src/protocol/webviewEvents';
import { embedding, noTools, settings, startApp, tools, type TestApp } from './support/fakeHost';
import { all, descriptionOf, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

type Options = Parameters<typeof startApp>[0];

async function open(options: Options = {}, tab?: string): Promise<void> {
  app = await startApp(options);
  app.port.emit('navigate', { page: 'settings' });
  await app.settle();
  if (tab !== undefined) await press('tab', tab);
}

async function press(role: string, name: string): Promise<void> {
  get(app.root, role, name).click();
  await app.settle();
}

const withSetting = (key: string, more: Partial<SettingState>) => ({
  ...settings,
  settings: settings.settings.map((setting) => (setting.key === key ? { ...setting, ...more } : setting)),
});

describe('the model table', () => {
  const rows = () => all(app.root, 'row').slice(1).map(nameOf);

  it('shows what each model is, and enables, unloads and deletes it', async () => {
    await open({}, 'Models');
    expect(rows()).toEqual([tools.name, noTools.name, embedding.name]);
    const first = get(app.root, 'row', tools.name);
    expect(spokenText(first)).toContain('14B parameters · in memory · default for Agent mode');
    expect(spokenText(first)).toContain('9.3 GB');
    await press('checkbox', `Show ${tools.name} in model pickers`);
    expect(app.api.setModelEnabled).toHaveBeenCalledExactlyOnceWith({ name: tools.name, enabled: false });
    await press('button', `Unload ${tools.name}`);
    expect(app.api.unloadModel).toHaveBeenCalledExactlyOnceWith({ name: tools.name });
    expect(has(app.root, 'button', `Unload ${noTools.name}`)).toBe(false);
    await press('button', `Delete ${noTools.name}`);
    expect(app.api.deleteModel).toHaveBeenCalledExactlyOnceWith({ name: noTools.name });
  });

  it('names modes as everywhere, and tells family and last change in the details of a model', async () => {
    const known = { ...tools, families: ['qwen3', 'clip'], modifiedAt: '2026-03-14T10:00:00Z' };
    const selected = { agent: tools.name, plan: tools.name, ask: noTools.name, edit: tools.name };
    await open(
      { ready: { models: { models: [known, noTools, { ...embedding, modifiedAt: 'never' }], stale: false, selected } } },
      'Models',
    );
    const text = spokenText(get(app.root, 'row', tools.name));
    expect(text).toContain('default for Agent mode · default for Plan mode · default for Edit mode');
    expect(text).toMatch(/family qwen3, clip · modified .*2026/);
    expect(spokenText(get(app.root, 'row', embedding.name))).not.toMatch(/family|modified|Invalid/);
  });

  it('enables or disables all that are not so already', async () => {
    await open({}, 'Models');
    await press('button', 'Hide all');
    expect(app.api.setModelEnabled.mock.calls.map(([asked]) => asked)).toEqual(
      [tools, noTools, embedding].map(({ name }) => ({ name, enabled: false })),
    );
    expect((get(app.root, 'button', 'Show all') as HTMLButtonElement).disabled).toBe(true);
  });

  it('says in place what did not work', async () => {
    await open({}, 'Models');
    app.api.unloadModel.mockRejectedValueOnce(new RequestFailure('connection', 'Ollama does not answer.'));
    await press('button', `Unload ${tools.name}`);
    expect(spokenText(get(app.root, 'alert'))).toContain('Ollama does not answer.');
    expect(all(app.root, 'alert')).toHaveLength(1);
  });

  it('chooses the model of a mode, or leaves it to itself', async () => {
    await open({ settings: withSetting('agentMode.model', { value: 'gone:7b', isSet: true }) }, 'Models');
    const choice = get(app.root, 'combobox', 'Model for Agent mode') as HTMLSelectElement;
    expect([...choice.options].map(({ text }) => text)).toEqual([
      'Automatic',
      tools.name,
      `${noTools.name} · no tools`,
      'gone:7b · not available',
    ]);
    for (const [value, saved] of [
      [tools.name, tools.name],
      ['', null],
    ] as const) {
      choice.value = value;
      choice.dispatchEvent(new Event('change', { bubbles: true }));
      await app.settle();
      expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'agentMode.model', value: saved });
    }
  });

  it('lists the installed models for subagents and for embedding, and says that a chosen one is not there', async () => {
    const withNames = withSetting('agent.explorerModel', { value: 'nonexistent:9b', isSet: true });
    await open({ settings: withNames }, 'Agent');
    const choice = (name: string) => get(app.root, 'combobox', name) as HTMLSelectElement;
    const names = (name: string) => [...choice(name).options].map(({ text }) => text);
    expect(names('Model for subagents')).toEqual([...['Chat model', 'nonexistent:9b · not available', tools.name, noTools.name]]);
    expect(names('Embedding model')).toEqual(['No model', embedding.name]);
    choice('Embedding model').value = embedding.name;
    choice('Embedding model').dispatchEvent(new Event('change', { bubbles: true }));
    await app.settle();
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'embedding.model', value: embedding.name });
  });

  it('takes a name with the default tag for the installed model', async () => {
    const tagged = `${embedding.name}:latest`;
    await open({ settings: withSetting('embedding.model', { value: tagged, isSet: true }) }, 'Agent');
    const { options, value } = get(app.root, 'combobox', 'Embedding model') as HTMLSelectElement;
    expect([value, [...options].map(({ text }) => text)]).toEqual([tagged, ['No model', tagged]]);
  });

  it('tells the model picked in the chat from a default, and warns where it has no tools', async () => {
    const picked = { model: noTools.name, modes: ['agent', 'ask'] };
    const selected = { agent: noTools.name, ask: noTools.name, plan: tools.name };
    await open({ ready: { models: { models: [tools, noTools], stale: false, selected, picked } } }, 'Models');
    const choice = get(app.root, 'combobox', 'Model for Agent mode') as HTMLSelectElement;
    expect(choice.options[0]?.text).toBe(`Model picked in the chat: ${noTools.name} · no tools`);
    expect(spokenText(app.root)).toContain(`${noTools.name} has no built-in tool support.`);
    const row = spokenText(get(app.root, 'row', noTools.name));
    expect(row).toContain('picked in the chat');
    expect(row).not.toContain('default for');
    expect(spokenText(get(app.root, 'row', tools.name))).toContain('default for Plan mode');
  });

  it('says of no model that it is missing before it is known which there are', async () => {
    await open({ settings: withSetting('agentMode.model', { value: 'gone:7b', isSet: true }) }, 'Models');
    app.port.emit('models', { models: [], stale: true, selected: {} });
    await app.settle();
    const choice = get(app.root, 'combobox', 'Model for Agent mode') as HTMLSelectElement;
    expect([choice.value, ...[...choice.options].map(({ text }) => text)]).toEqual(['gone:7b', 'Automatic', 'gone:7b']);
  });

  it('pulls with progress, and suggests models where there are none', async () => {
    await open({}, 'Models');
    const field = get(app.root, 'textbox', 'Another model') as HTMLInputElement;
    field.value = 'qwen3:4b';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    await press('button', 'Pull');
    expect(app.api.pullModel).toHaveBeenCalledExactlyOnceWith({ name: 'qwen3:4b' });
    const pull = { name: 'qwen3:4b', status: 'pulling', completed: 1e9, total: 2e9, bytesPerSecond: 1e6, message: null } as const;
    app.port.emit('pulls', [pull]);
    await app.settle();
    expect(get(app.root, 'progressbar', 'Pulling qwen3:4b').getAttribute('aria-valuenow')).toBe('50');
    app.port.emit('models', { models: [], stale: false, selected: {} });
    await app.settle();
    expect(has(app.root, 'button', 'Pull qwen3:8b')).toBe(true);
  });

  it('offers nothing that needs the server while it does not answer', async () => {
    await open({}, 'Models');
    app.port.emit('connection', { state: 'unreachable', baseUrl: 'http://box', version: null, message: null, demo: false });
    await app.settle();
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('The list shows the last known models.');
    expect((get(app.root, 'button', `Delete ${tools.name}`) as HTMLButtonElement).disabled).toBe(true);
    expect(has(app.root, 'textbox', 'Another model')).toBe(false);
    await press('button', 'Check again');
    expect(app.api.testConnection).toHaveBeenCalledOnce();
  });

  it('says of a model that Ollama’s servers run it: in the table, the pickers and over an empty chat', async () => {
    const cloud = { ...tools, name: 'big:120b-cloud', size: 0, loaded: true, isCloud: true };
    const words = 'runs on Ollama’s servers, not on your computer';
    await open({ ready: { models: { models: [cloud], stale: false, selected: { agent: cloud.name } } } }, 'Models');
    expect(spokenText(get(app.root, 'row', cloud.name))).toContain(words);
    expect(has(app.root, 'button', `Unload ${cloud.name}`)).toBe(false);
    const choice = get(app.root, 'combobox', 'Model for Agent mode') as HTMLSelectElement;
    expect(choice.options[1]?.text).toContain(words);
    await app.press('Escape');
    expect(spokenText(get(app.root, 'main'))).toContain(`${cloud.name} ${words}`);
    await press('button', `Model: ${cloud.name}`);
    expect(descriptionOf(get(app.root, 'option', cloud.name))).toContain(words);
  });
});
