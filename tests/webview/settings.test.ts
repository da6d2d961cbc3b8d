import { afterEach, describe, expect, it, vi } from 'vitest';
import { settingDefaults } from '../../src/config/settings';
import { RequestFailure } from '../../src/protocol/rpc';
import type { SettingState } from '../../src/protocol/webviewEvents';
import { settingsItems } from '../../src/webview/settings/catalogue';
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

async function enter(name: string, value: string): Promise<void> {
  const field = get(app.root, 'textbox', name) as HTMLInputElement;
  field.focus();
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await app.settle();
}

const withSetting = (key: string, more: Partial<SettingState>) => ({
  ...settings,
  settings: settings.settings.map((setting) => (setting.key === key ? { ...setting, ...more } : setting)),
});
const focused = () => (document.activeElement === null ? '' : nameOf(document.activeElement));
const selected = () => all(app.root, 'tab').filter((tab) => tab.getAttribute('aria-selected') === 'true');

describe('the settings page', () => {
  it('has a place for every setting', () => {
    app = undefined as unknown as TestApp;
    const shown = settingsItems().filter(({ kind }) => kind !== 'part');
    expect(shown.map(({ key }) => key).sort()).toEqual(Object.keys(settingDefaults()).sort());
    app = { wrapper: { unmount: () => undefined } } as unknown as TestApp;
  });

  it('is one tab stop of tabs, which the arrows, Home and End go round', async () => {
    await open();
    expect(all(app.root, 'tab').map(nameOf)).toEqual([
      'Connection',
      'Models',
      'Chat',
      'Agent',
      'Autocomplete',
      'Tools',
      'Checkpoints',
      'Privacy',
      'Advanced',
    ]);
    expect(focused()).toBe('Connection');
    for (const [key, tab] of [
      ['ArrowRight', 'Models'],
      ['End', 'Advanced'],
      ['ArrowRight', 'Connection'],
      ['ArrowLeft', 'Advanced'],
      ['Home', 'Connection'],
    ] as const) {
      await app.press(key);
      expect([focused(), ...selected().map(nameOf)]).toEqual([tab, tab]);
      expect(nameOf(get(app.root, 'tabpanel'))).toBe(tab);
      expect(all(app.root, 'tab').filter((one) => one.getAttribute('tabindex') === '0')).toHaveLength(1);
    }
  });

  it('saves on change, says so, and takes back', async () => {
    await open({ settings: withSetting('agent.maxIterations', { value: 30, isSet: true }) }, 'Agent');
    await enter('Steps for one message', '40');
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'agent.maxIterations', value: 40 });
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Saved: Steps for one message');
    await press('button', 'Reset Steps for one message');
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'agent.maxIterations', value: null });
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Default: 25');
  });

  it('saves what was typed and not left when another page takes its place, but not what was given up', async () => {
    await open({}, 'Agent');
    const field = get(app.root, 'textbox', 'Steps for one message') as HTMLInputElement;
    const type = async (value: string) => {
      field.focus();
      field.value = value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await app.settle();
    };
    await type('41');
    app.port.emit('navigate', { page: 'chat', sessionId: null });
    await app.settle();
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'agent.maxIterations', value: 41 });
    app.wrapper.unmount();
    await open({}, 'Agent');
    get(app.root, 'textbox', 'Steps for one message').focus();
    await enter('Steps for one message', '42');
    app.port.emit('navigate', { page: 'chat', sessionId: null });
    await app.settle();
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'agent.maxIterations', value: 42 });
  });

  it('shows lists in words, and nothing as JSON', async () => {
    await open(
      { settings: withSetting('agent.sensitiveFilePatterns', { default: { '*.pem': false, 'docs/**': true } }) },
      'Agent',
    );
    const text = spokenText(get(app.root, 'tabpanel'));
    expect(text).toContain('Default: AGENTS.md,.github/copilot-instructions.md,');
    expect(text).toContain('Default: *.pem: off, docs/**: on');
    expect(text).not.toMatch(/\["|\{"/);
    await press('tab', 'Tools');
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Default: empty');
  });

  it('has no raw marks of emphasis in its texts', () => {
    app = { wrapper: { unmount: () => undefined } } as unknown as TestApp;
    const texts = settingsItems().flatMap(({ title, effect }) => [title, effect]);
    expect(texts.filter((text) => /\*\S[^*]*\*|`/.test(text))).toEqual([]);
  });

  it('edits a list: adds, changes and removes items, each saved at once', async () => {
    await open({ settings: withSetting('checkpoints.exclude', { value: ['*.iso', 'data/'], isSet: true }) }, 'Checkpoints');
    const list = () => get(app.root, 'group', 'Files that are not stored');
    expect(all(list(), 'textbox').map(nameOf)).toEqual(['Item 1', 'Item 2', 'New item']);
    await enter('Item 2', 'big/');
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'checkpoints.exclude', value: ['*.iso', 'big/'] });
    await press('button', 'Remove *.iso');
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'checkpoints.exclude', value: ['data/'] });
    const field = get(list(), 'textbox', 'New item') as HTMLInputElement;
    field.focus();
    field.value = 'video/';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.press('Enter');
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'checkpoints.exclude', value: ['*.iso', 'data/', 'video/'] });
    expect([field.value, focused()]).toEqual(['', 'New item']);
    await enter('Item 1', '');
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'checkpoints.exclude', value: ['data/'] });
    await press('button', 'Reset Files that are not stored');
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'checkpoints.exclude', value: null });
  });

  it('edits names with a switch each, in their order', async () => {
    const patterns = { value: { '*.env': false, 'docs/**': true }, isSet: true };
    await open({ settings: withSetting('agent.sensitiveFilePatterns', patterns) }, 'Agent');
    const list = get(app.root, 'group', 'Edit without asking');
    expect(all(list, 'checkbox').map(nameOf)).toEqual(['*.env is on', 'docs/** is on']);
    await press('checkbox', '*.env is on');
    const saved = () => app.api.saveSetting.mock.lastCall?.[0].value as Record<string, boolean>;
    expect(Object.entries(saved())).toEqual([
      ['*.env', true],
      ['docs/**', true],
    ]);
    const field = get(list, 'textbox', 'New item') as HTMLInputElement;
    field.value = '*.key';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    get(list, 'button', 'Add to Edit without asking').click();
    await app.settle();
    expect(Object.entries(saved())).toEqual([
      ['*.env', false],
      ['docs/**', true],
      ['*.key', true],
    ]);
  });

  it('leaves a value of a settings file that is no list to the editor', async () => {
    await open(
      { settings: withSetting('checkpoints.exclude', { value: 'all', isSet: true, problem: 'Enter a list.' }) },
      'Checkpoints',
    );
    await press('button', 'Files that are not stored: open in VS Code settings');
    expect(app.api.openEditorSettings).toHaveBeenCalledExactlyOnceWith({ key: 'checkpoints.exclude' });
    expect(app.api.saveSetting).not.toHaveBeenCalled();
  });

  it('hides and does not count what this package does not offer', async () => {
    const settingsHere = settings.settings.filter(({ key }) => key !== 'search.useLanceDB');
    await open({ settings: { ...settings, settings: settingsHere } });
    const search = get(app.root, 'searchbox', 'Search settings') as HTMLInputElement;
    search.value = 'useLanceDB';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    expect(all(app.root, 'status').map(spokenText)).toContain('No settings found');
  });

  it('finds "temperature" in one list of plain sentences, saved on change', async () => {
    await open();
    const search = get(app.root, 'searchbox', 'Search settings') as HTMLInputElement;
    search.value = 'temperature';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    const names = ['Agent', 'Plan', 'Ask', 'Edit'].map((mode) => `Temperature in ${mode} mode`);
    expect(all(app.root, 'textbox').map(nameOf)).toEqual([...names, 'Temperature of suggestions']);
    expect(all(app.root, 'status').map(spokenText)).toContain('5 settings found');
    expect(has(app.root, 'tab', 'Chat')).toBe(false);
    for (const field of all(app.root, 'textbox')) expect(descriptionOf(field)).toMatch(/^[A-Z][^*`{}[\]]+\.$/);
    expect(spokenText(app.root)).not.toMatch(/Mode\.temperature/);
    await enter('Temperature in Plan mode', '1.1');
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'planMode.temperature', value: 1.1 });
    expect(all(app.root, 'status').map(spokenText)).toContain('Saved: Temperature in Plan mode');
  });

  it('saves a switch with its press', async () => {
    await open({}, 'Checkpoints');
    await press('checkbox', 'Checkpoints around commands');
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'checkpoints.aroundCommands', value: false });
  });

  it('shows beside the field why a value was refused, and lets it be corrected', async () => {
    await open({}, 'Chat');
    app.api.saveSetting.mockRejectedValueOnce(new RequestFailure('settingValue', 'Enter a number of at most 2.'));
    await enter('Temperature in Ask mode', '2,5');
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'askMode.temperature', value: 2.5 });
    const field = get(app.root, 'textbox', 'Temperature in Ask mode') as HTMLInputElement;
    expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['2,5', 'true']);
    expect(descriptionOf(field)).toContain('Enter a number of at most 2.');
    await enter('Temperature in Ask mode', 'hot');
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'askMode.temperature', value: 'hot' });
    await enter('Temperature in Ask mode', '1');
    expect(field.getAttribute('aria-invalid')).toBe('false');
    await enter('Temperature in Ask mode', '');
    expect(field.value).toBe('0.7');
  });

  it('shows a value of the settings file that cannot be used, and what the workspace says instead', async () => {
    await open({ settings: withSetting('baseUrl', { value: 'box', isSet: true, problem: 'Enter an address.' }) });
    const field = get(app.root, 'textbox', 'Server address') as HTMLInputElement;
    expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['box', 'true']);
    app.port.emit('settings', withSetting('baseUrl', { value: 'http://box', isSet: true, scope: 'workspace' }));
    await app.settle();
    expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['http://box', 'false']);
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Set for this workspace, and saved there.');
    app.port.emit('settings', withSetting('agent.maxIterations', { value: 25, workspaceValue: 5, inForce: 5 }));
    await press('tab', 'Agent');
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('This workspace sets 5, so 5 is used here.');
    app.port.emit('settings', withSetting('agent.maxIterations', { value: 25, workspaceValue: 99, inForce: 25 }));
    await app.settle();
    const text = spokenText(get(app.root, 'tabpanel'));
    expect(text).toContain('This workspace sets 99. It does not change your value here');
    expect(text).not.toContain('is used here');
  });

  it('says that an address of the workspace is not used before the user agrees, and leads to the question', async () => {
    const theirs = { value: 'http://theirs:1', isSet: true, scope: 'workspace' as const };
    await open({ settings: withSetting('baseUrl', { ...theirs, inForce: 'http://own:1' }) });
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('It is not used until you agree: requests go to http://own:1.');
    await press('button', 'Choose server…');
    expect(app.api.runCommand).toHaveBeenCalledExactlyOnceWith({ command: 'chooseServer' });
    app.port.emit('settings', withSetting('baseUrl', { ...theirs, inForce: 'http://theirs:1' }));
    await app.settle();
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Set for this workspace, and saved there.');
    expect(has(app.root, 'button', 'Choose server…')).toBe(true);
  });

  it('finds settings in all tabs, by their words and keys', async () => {
    await open();
    const search = get(app.root, 'searchbox', 'Search settings') as HTMLInputElement;
    const find = async (text: string) => {
      search.value = text;
      search.dispatchEvent(new Event('input', { bubbles: true }));
      await app.settle();
    };
    await find('maxTokens');
    expect(all(app.root, 'textbox').map(nameOf)).toEqual([
      'Longest answer in Agent mode',
      'Longest answer in Plan mode',
      'Longest answer in Ask mode',
      'Longest answer in Edit mode',
      'Longest suggestion',
    ]);
    expect(all(app.root, 'status').map(spokenText)).toContain('5 settings found');
    expect(has(app.root, 'tab', 'Connection')).toBe(false);
    await find('zebra');
    expect(spokenText(app.root)).toContain('Nothing is named like “zebra”.');
    search.focus();
    await app.press('Escape');
    expect(has(app.root, 'tab', 'Connection')).toBe(true);
  });

  it('leads back to the message with Escape or the button, the draft untouched', async () => {
    app = await startApp({ state: { drafts: { '': 'Half a thought' } } });
    for (const leave of [() => app.press('Escape'), () => press('button', 'Back to chat')]) {
      app.port.emit('navigate', { page: 'settings' });
      await app.settle();
      await leave();
      expect(focused()).toBe('Message');
      expect((document.activeElement as HTMLTextAreaElement).value).toBe('Half a thought');
    }
  });

  it('gives up what was written in a field first', async () => {
    await open();
    const field = get(app.root, 'textbox', 'Server address') as HTMLInputElement;
    field.focus();
    field.value = 'http://other';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.press('Escape');
    expect(field.value).toBe('http://localhost:11434');
    await app.press('Escape');
    expect(has(app.root, 'tab', 'Connection')).toBe(false);
  });

  it('tests the connection in place, and manages the token without showing it', async () => {
    await open({ settings: { ...settings, hasToken: true } });
    const panel = get(app.root, 'tabpanel');
    expect(spokenText(panel)).toContain('Ollama 0.12.0 answers at http://localhost:11434.');
    await press('button', 'Test connection');
    expect(app.api.testConnection).toHaveBeenCalledOnce();
    app.port.emit('connection', {
      ...{ state: 'unauthorized', baseUrl: 'http://box', version: null, message: 'The token was refused.', demo: false },
    });
    await app.settle();
    expect(spokenText(panel)).toContain('The token was refused.');
    app.port.emit('connection', {
      ...{ state: 'connected', baseUrl: 'http://box', version: '0.12.0', message: null, demo: false, isTokenExposed: true },
    });
    await app.settle();
    expect(spokenText(panel)).toContain('The token travels unencrypted to http://box.');
    await press('button', 'Replace token…');
    expect(app.api.runCommand).toHaveBeenLastCalledWith({ command: 'setBearerToken' });
    await press('button', 'Remove token');
    expect(app.api.removeToken).toHaveBeenCalledOnce();
    app.port.emit('settings', settings);
    await app.settle();
    expect(spokenText(panel)).toContain('No token is set for this server.');
    expect(has(app.root, 'button', 'Remove token')).toBe(false);
  });

  it('says what leaves the machine and where conversations lie', async () => {
    await open({}, 'Privacy');
    const panel = get(app.root, 'tabpanel');
    expect(spokenText(panel)).toContain('Requests go to http://localhost:11434 and nowhere else');
    expect(spokenText(panel)).toContain('/home/robin/kept/here');
    expect(spokenText(panel)).toContain('12 MB on disk');
    await press('button', 'Every request');
    expect(spokenText(panel)).toContain('POST /api/chat');
    await press('button', 'Open storage folder');
    expect(app.api.runCommand).toHaveBeenLastCalledWith({ command: 'openStorage' });
  });

  it('says that other extensions are ways out, where a person has let them in', async () => {
    await open({}, 'Privacy');
    app.port.emit('settings', withSetting('languageModels.offerTools', { value: true }));
    await app.settle();
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Other extensions may search the workspace and your conversations');
    app.port.emit('settings', withSetting('agent.editorTools', { value: ['weather'] }));
    await app.settle();
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('weather: a tool of another extension.');
    expect(spokenText(get(app.root, 'tabpanel'))).not.toContain('and nowhere else');
  });

  it('names the shared index of a team among what leaves this machine', async () => {
    await open({}, 'Privacy');
    app.port.emit('settings', withSetting('search.uri', { value: '/mnt/team/index.lance' }));
    await app.settle();
    const said = spokenText(get(app.root, 'tabpanel'));
    expect(said).toContain('/mnt/team/index.lance: the shared index of your team.');
    expect(said).not.toContain('and nowhere else');
  });

  it('tells how far the index of the workspace is, pauses it and deletes it', async () => {
    await open({}, 'Advanced');
    const state = {
      ...{ isEnabled: true, files: 120, chunks: 1000, vectors: 400, bytes: 2_000_000, isComplete: true },
      ...{
        model: 'all-minilm:latest',
        suggestion: null,
        isPaused: false,
        rate: 5,
        lance: null,
        shared: null,
        isFull: false,
        isDamaged: false,
      },
    };
    app.api.readIndex.mockResolvedValue(state);
    const part = get(app.root, 'region', 'Search index of the workspace');
    await vi.waitUntil(() => spokenText(part).includes('400 of 1,000'), { timeout: 10_000 });
    expect(spokenText(part)).toContain('300 pieces a minute, about 2 minutes left.');
    expect(spokenText(part)).toContain('all-minilm:latest');
    app.api.readIndex.mockResolvedValue({
      ...state,
      isPaused: true,
      rate: null,
      shared: { uri: '/mnt/i', trouble: 'It is gone' },
    });
    await press('button', 'Pause indexing');
    expect(app.api.pauseIndex).toHaveBeenLastCalledWith({ isPaused: true });
    expect(spokenText(part)).toContain('Paused.');
    expect(spokenText(part)).toContain('The shared index was not searched. Reason: It is gone');
    await press('button', 'Resume indexing');
    expect(app.api.pauseIndex).toHaveBeenLastCalledWith({ isPaused: false });
    app.api.readIndex.mockResolvedValue({ ...state, lance: { trouble: null }, isFull: true });
    await vi.waitUntil(() => spokenText(part).includes('LanceDB'), { timeout: 10_000 });
    expect(spokenText(part)).not.toContain('cannot be used');
    expect(spokenText(part)).toContain('The index is as large as it may be (search.maxStorageMB)');
    app.api.readIndex.mockResolvedValue({ ...state, lance: { trouble: 'SIGILL' } });
    await vi.waitUntil(() => spokenText(part).includes('Reason: SIGILL'), { timeout: 10_000 });
    expect(spokenText(part)).toContain('Built-in store');
    await press('button', 'Delete index');
    expect(app.api.deleteIndex).toHaveBeenCalled();
  });

  it('tells that the vector index is damaged, and rebuilds it only on request', async () => {
    await open({}, 'Advanced');
    const state = {
      ...{ isEnabled: true, files: 120, chunks: 1000, vectors: 0, bytes: 2_000_000, isComplete: true, isFull: false },
      ...{
        model: 'all-minilm:latest',
        suggestion: null,
        isPaused: false,
        rate: null,
        lance: null,
        shared: null,
        isDamaged: true,
      },
    };
    app.api.readIndex.mockResolvedValue(state);
    const part = get(app.root, 'region', 'Search index of the workspace');
    await vi.waitUntil(() => spokenText(part).includes('The vector index is damaged.'), { timeout: 10_000 });
    expect(spokenText(part)).not.toContain('Pause indexing');
    expect(app.api.rebuildIndex).not.toHaveBeenCalled();
    app.api.readIndex.mockResolvedValue({ ...state, isDamaged: false, rate: 5 });
    await press('button', 'Rebuild index');
    expect(app.api.rebuildIndex).toHaveBeenCalledOnce();
    await vi.waitUntil(() => spokenText(part).includes('pieces a minute'), { timeout: 10_000 });
  });

  it('looks after what is stored, by commands that ask or tell themselves', async () => {
    await open({}, 'Advanced');
    for (const [name, command] of [
      ['Verify checkpoints', 'verifyStorage'],
      ['Recreate the index of the workspace', 'recreateCodeIndex'],
      ['Export all chats', 'exportAllSessions'],
    ] as const) {
      await press('button', name);
      expect(app.api.runCommand).toHaveBeenLastCalledWith({ command });
    }
  });

  it('says that the settings could not be read, and tries again', async () => {
    app = await startApp();
    app.api.readSettings.mockRejectedValueOnce(new Error('No'));
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    expect(spokenText(get(app.root, 'alert'))).toContain('The settings could not be read.');
    await press('button', 'Try again');
    expect(has(app.root, 'textbox', 'Server address')).toBe(true);
  });
});

describe('the model table', () => {
  const rows = () => all(app.root, 'row').slice(1).map(nameOf);

  it('shows what each model is, and enables, unloads and deletes it', async () => {
    await open({}, 'Models');
    expect(rows()).toEqual([tools.name, noTools.name, embedding.name]);
    const first = get(app.root, 'row', tools.name);
    expect(spokenText(first)).toContain('14B parameters · in memory · default in Agent mode');
    expect(spokenText(first)).toContain('9.3 GB');
    await press('checkbox', `Enable ${tools.name}`);
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
    expect(text).toContain('default in Agent mode · default in Plan mode · default in Edit mode');
    expect(text).toMatch(/family qwen3, clip · changed .*2026/);
    expect(spokenText(get(app.root, 'row', embedding.name))).not.toMatch(/family|changed|Invalid/);
  });

  it('enables or disables all that are not so already', async () => {
    await open({}, 'Models');
    await press('button', 'Disable all');
    expect(app.api.setModelEnabled.mock.calls.map(([asked]) => asked)).toEqual(
      [tools, noTools, embedding].map(({ name }) => ({ name, enabled: false })),
    );
    expect((get(app.root, 'button', 'Enable all') as HTMLButtonElement).disabled).toBe(true);
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
      'gone:7b · not among the models to choose from',
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
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('These are the models last seen.');
    expect((get(app.root, 'button', `Delete ${tools.name}`) as HTMLButtonElement).disabled).toBe(true);
    expect(has(app.root, 'textbox', 'Another model')).toBe(false);
    await press('button', 'Check again');
    expect(app.api.testConnection).toHaveBeenCalledOnce();
  });

  it('says of a model that Ollama’s servers run it: in the table, the pickers and over an empty chat', async () => {
    const cloud = { ...tools, name: 'big:120b-cloud', size: 0, loaded: true, isCloud: true };
    const words = 'runs on Ollama’s servers, not on your machine';
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
