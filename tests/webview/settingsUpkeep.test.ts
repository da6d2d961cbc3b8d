import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SettingState } from '../../src/protocol/webviewEvents';
import { settings, startApp, type TestApp } from './support/fakeHost';
import { get, has, spokenText } from './support/roles';
import { untilState } from './support/untilState';

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

describe('connection, privacy and storage in the settings', () => {
  it('says that an address of the workspace is not used before the user agrees, and leads to the question', async () => {
    const theirs = { value: 'http://theirs:1', isSet: true, scope: 'workspace' as const };
    await open({ settings: withSetting('baseUrl', { ...theirs, inForce: 'http://own:1' }) });
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Until you agree to it, requests go to http://own:1.');
    await press('button', 'Choose server…');
    expect(app.api.runCommand).toHaveBeenCalledExactlyOnceWith({ command: 'chooseServer' });
    app.port.emit('settings', withSetting('baseUrl', { ...theirs, inForce: 'http://theirs:1' }));
    await app.settle();
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Set and saved in this workspace.');
    expect(has(app.root, 'button', 'Choose server…')).toBe(true);
  });

  it('tests the connection in place, and manages the token without showing it', async () => {
    await open({ settings: { ...settings, hasToken: true } });
    const panel = get(app.root, 'tabpanel');
    expect(spokenText(panel)).toContain('Ollama 0.12.0 is running at http://localhost:11434.');
    await press('button', 'Test connection');
    expect(app.api.testConnection).toHaveBeenCalledOnce();
    app.port.emit('connection', {
      state: 'unauthorized',
      baseUrl: 'http://box',
      version: null,
      message: 'The token was refused.',
      demo: false,
    });
    await app.settle();
    expect(spokenText(panel)).toContain('The token was refused.');
    app.port.emit('connection', {
      state: 'connected',
      baseUrl: 'http://box',
      version: '0.12.0',
      message: null,
      demo: false,
      isTokenExposed: true,
    });
    await app.settle();
    expect(spokenText(panel)).toContain('The access token is sent unencrypted to http://box.');
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
    expect(spokenText(panel)).toContain('Requests go only to http://localhost:11434. No telemetry');
    expect(spokenText(panel)).toContain('/home/robin/kept/here');
    expect(spokenText(panel)).toContain('12 MB on disk');
    await press('button', 'All requests');
    expect(spokenText(panel)).toContain('POST /api/chat');
    await press('button', 'Open storage folder');
    expect(app.api.runCommand).toHaveBeenLastCalledWith({ command: 'openStorage' });
  });

  it('says that other extensions are ways out, where a person has let them in', async () => {
    await open({}, 'Privacy');
    app.port.emit('settings', withSetting('languageModels.offerTools', { value: true }));
    await app.settle();
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Other extensions can search the workspace and your chats');
    app.port.emit('settings', withSetting('agent.editorTools', { value: ['weather'] }));
    await app.settle();
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('weather: a tool from another extension.');
    expect(spokenText(get(app.root, 'tabpanel'))).not.toContain('Requests go only to http://localhost:11434.');
  });

  it('names the shared index of a team among what leaves this machine', async () => {
    await open({}, 'Privacy');
    app.port.emit('settings', withSetting('search.uri', { value: '/mnt/team/index.lance' }));
    await app.settle();
    const said = spokenText(get(app.root, 'tabpanel'));
    expect(said).toContain('/mnt/team/index.lance: your team’s shared index.');
    expect(said).not.toContain('Requests go only to http://localhost:11434.');
  });

  it('tells how far the index of the workspace is, pauses it and deletes it', async () => {
    await open({}, 'Advanced');
    const state = {
      isEnabled: true,
      files: 120,
      chunks: 1000,
      vectors: 400,
      bytes: 2_000_000,
      isComplete: true,
      model: 'all-minilm:latest',
      suggestion: null,
      isPaused: false,
      rate: 5,
      lance: null,
      shared: null,
      isFull: false,
      isDamaged: false,
    };
    app.api.readIndex.mockResolvedValue(state);
    const part = get(app.root, 'region', 'Workspace search index');
    await vi.waitUntil(() => spokenText(part).includes('400 of 1,000'), untilState);
    expect(spokenText(part)).toContain('300 snippets per minute, about 2 minutes left.');
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
    expect(spokenText(part)).toContain('Could not search the shared index. Reason: It is gone');
    await press('button', 'Resume indexing');
    expect(app.api.pauseIndex).toHaveBeenLastCalledWith({ isPaused: false });
    app.api.readIndex.mockResolvedValue({ ...state, lance: { trouble: null }, isFull: true });
    await vi.waitUntil(() => spokenText(part).includes('LanceDB'), untilState);
    expect(spokenText(part)).not.toContain('cannot be used');
    expect(spokenText(part)).toContain('The index reached the limit in “Disk space for the search index”.');
    app.api.readIndex.mockResolvedValue({ ...state, lance: { trouble: 'SIGILL' } });
    await vi.waitUntil(() => spokenText(part).includes('Reason: SIGILL'), untilState);
    expect(spokenText(part)).toContain('Built-in store');
    await press('button', 'Delete index');
    expect(app.api.deleteIndex).toHaveBeenCalled();
  });

  it('tells that the vector index is damaged, and rebuilds it only on request', async () => {
    await open({}, 'Advanced');
    const state = {
      isEnabled: true,
      files: 120,
      chunks: 1000,
      vectors: 0,
      bytes: 2_000_000,
      isComplete: true,
      isFull: false,
      model: 'all-minilm:latest',
      suggestion: null,
      isPaused: false,
      rate: null,
      lance: null,
      shared: null,
      isDamaged: true,
    };
    app.api.readIndex.mockResolvedValue(state);
    const part = get(app.root, 'region', 'Workspace search index');
    await vi.waitUntil(() => spokenText(part).includes('The vector index is damaged,'), untilState);
    expect(spokenText(part)).not.toContain('Pause indexing');
    expect(app.api.rebuildIndex).not.toHaveBeenCalled();
    app.api.readIndex.mockResolvedValue({ ...state, isDamaged: false, rate: 5 });
    await press('button', 'Rebuild index');
    expect(app.api.rebuildIndex).toHaveBeenCalledOnce();
    await vi.waitUntil(() => spokenText(part).includes('snippets per minute'), untilState);
  });

  it('looks after what is stored, by commands that ask or tell themselves', async () => {
    await open({}, 'Advanced');
    for (const [name, command] of [
      ['Verify checkpoints', 'verifyStorage'],
      ['Rebuild workspace search index', 'recreateCodeIndex'],
      ['Export all chats', 'exportAllSessions'],
    ] as const) {
      await press('button', name);
      expect(app.api.runCommand).toHaveBeenLastCalledWith({ command });
    }
  });
});
