import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { Settings, settingDefaults } from '../../../src/config/settings';
import { silentLogger } from '../../../src/utils/logger';
import { completedAddress } from '../../../src/types/httpAddress';
import { settingsHandlers } from '../../../src/views/handlers/settingsHandlers';
import { ServerAnswers } from '../../../src/vscode/serverAnswers';
import { editorSettings } from '../../../src/vscode/settingsSource';
import { fakeMemento } from '../../support/fakeMemento';
import { hostileValues } from '../../support/hostile';

function handlers(isSet: () => Promise<boolean> = async () => true, isOffered: (key: string) => boolean = () => true) {
  const removed: string[] = [];
  const token = { isSet, remove: async () => void removed.push('token') };
  const servers = new ServerAnswers(fakeMemento(), () => undefined);
  const settings = new Settings(editorSettings(servers), () => undefined);
  const api = settingsHandlers({ folder: () => '/kept/here', logger: silentLogger, token, settings, servers, isOffered });
  return { api, settings, removed };
}

describe('requests of the settings page', () => {
  let { api, settings } = handlers();
  const setting = async (key: string) => (await api.readSettings({})).settings.find((one) => one.key === key);

  beforeEach(() => {
    ({ api, settings } = handlers());
    editor.userSettings.clear();
    editor.workspaceSettings.clear();
    editor.settingsFailure = null;
    editor.answer = undefined;
    editorCalls.length = 0;
  });

  it('shows every setting with its default when nobody has set one', async () => {
    const state = await api.readSettings({});
    assert.deepEqual(Object.fromEntries(state.settings.map(({ key, value }) => [key, value])), settingDefaults());
    assert.deepEqual(
      state.settings.filter(({ isSet, problem }) => isSet || problem !== null),
      [],
    );
    assert.deepEqual([state.folder, state.hasToken], ['/kept/here', true]);
  });

  it('leaves out what this package does not offer', async () => {
    const here = handlers(undefined, (key) => key !== 'search.useLanceDB');
    const keys = (await here.api.readSettings({})).settings.map(({ key }) => key);
    assert.deepEqual(
      Object.keys(settingDefaults()).filter((key) => !keys.includes(key)),
      ['search.useLanceDB'],
    );
  });

  it('saves lists and switches, and refuses others', async () => {
    await api.saveSetting({ key: 'checkpoints.exclude', value: ['a', 'b'] });
    await api.saveSetting({ key: 'agent.sensitiveFilePatterns', value: { 'a/**': true } });
    assert.deepEqual([...editor.userSettings.values()], [['a', 'b'], { 'a/**': true }]);
    await assert.rejects(api.saveSetting({ key: 'agent.maxIterations', value: ['1'] }), { code: 'settingValue' });
    await assert.rejects(api.saveSetting({ key: 'checkpoints.exclude', value: { a: true } }), { code: 'settingValue' });
  });

  it('saves globally, and takes back with null', async () => {
    await api.saveSetting({ key: 'askMode.temperature', value: 0.3 });
    assert.deepEqual([...editor.userSettings], [['ollamaCopilot.askMode.temperature', 0.3]]);
    assert.deepEqual(await setting('askMode.temperature'), {
      key: 'askMode.temperature',
      value: 0.3,
      default: 0.7,
      isSet: true,
      scope: 'user',
      problem: null,
    });
    await api.saveSetting({ key: 'askMode.temperature', value: null });
    assert.deepEqual([...editor.userSettings], []);
  });

  it('saves the address where it is set, and what the user writes there is used without a question', async () => {
    editor.userSettings.set('ollamaCopilot.baseUrl', 'http://own:1');
    editor.workspaceSettings.set('ollamaCopilot.baseUrl', 'http://here:1');
    const before = await setting('baseUrl');
    assert.deepEqual([before?.scope, before?.value, before?.inForce], ['workspace', 'http://here:1', 'http://own:1']);
    await api.saveSetting({ key: 'baseUrl', value: 'http://there:2/' });
    assert.deepEqual([...editor.workspaceSettings.values()], ['http://there:2/']);
    assert.deepEqual([...editor.userSettings.values()], ['http://own:1']);
    const after = await setting('baseUrl');
    assert.deepEqual([after?.scope, after?.value, after?.inForce], ['workspace', 'http://there:2/', 'http://there:2/']);
    assert.equal(settings.baseUrl, 'http://there:2');
    await api.saveSetting({ key: 'baseUrl', value: null });
    assert.equal(settings.baseUrl, 'http://own:1');
  });

  it('completes an address without a scheme, and refuses what is none then', async () => {
    for (const [typed, saved] of [
      ['localhost:11434', 'http://localhost:11434'],
      [' 192.168.0.5:11434/ollama ', 'http://192.168.0.5:11434/ollama'],
      ['localhost', 'http://localhost:11434'],
      ['gpu.lan/ollama', 'http://gpu.lan:11434/ollama'],
      ['[::1]', 'http://[::1]:11434'],
      ['proxy.lan:80', 'http://proxy.lan:80'],
      ['http://there', 'http://there'],
      ['https://there', 'https://there'],
    ] as const) {
      await api.saveSetting({ key: 'baseUrl', value: typed });
      assert.deepEqual([...editor.userSettings], [['ollamaCopilot.baseUrl', saved]]);
    }
    for (const value of ['', 'ftp://there', 'user:secret@there', 'no address'])
      await assert.rejects(api.saveSetting({ key: 'baseUrl', value }), { code: 'settingValue' }, value);
  });

  it('saves an address globally where the workspace has none, and that is no answer about a workspace', async () => {
    await api.saveSetting({ key: 'baseUrl', value: 'http://there:2' });
    editor.userSettings.clear();
    editor.workspaceSettings.set('ollamaCopilot.baseUrl', 'http://there:2');
    assert.equal(settings.workspaceServer?.isAllowed, undefined);
  });

  it('saves everything else globally, and says what the workspace sets and what is in force', async () => {
    editor.workspaceSettings.set('ollamaCopilot.agent.maxIterations', 40);
    await api.saveSetting({ key: 'agent.maxIterations', value: 90 });
    assert.deepEqual([...editor.workspaceSettings.values()], [40]);
    assert.deepEqual([...editor.userSettings], [['ollamaCopilot.agent.maxIterations', 90]]);
    const shown = await setting('agent.maxIterations');
    assert.deepEqual([shown?.value, shown?.scope, shown?.workspaceValue, shown?.inForce], [90, 'user', 40, 40]);
    await api.saveSetting({ key: 'agent.maxIterations', value: 10 });
    assert.equal((await setting('agent.maxIterations'))?.inForce, 10);
  });

  it('refuses what a setting cannot be, with a code and words, and saves nothing', async () => {
    await assert.rejects(api.saveSetting({ key: 'agent.maxIterations', value: 0 }), {
      code: 'settingValue',
      userMessage: 'Enter a number greater than 0.',
    });
    await assert.rejects(api.saveSetting({ key: 'toString', value: 'x' }), { code: 'settingUnknown' });
    await assert.rejects(api.openEditorSettings({ key: 'no such key' }), { code: 'settingUnknown' });
    assert.deepEqual(editorCalls, []);
  });

  for (const key of Object.keys(settingDefaults())) {
    it(`${key}: whatever it is to be, it is saved and can be used, or refused with a code and words`, async () => {
      const values = hostileValues.filter((value) => value === null || typeof value !== 'object') as (
        string | number | boolean | null
      )[];
      for (const value of [...values, 0.5, 1, -1, 3_600_001, 2 ** 31, -(2 ** 31), 5e-324, '30m', 'http://box', '/kept']) {
        editor.userSettings.clear();
        const error = await api.saveSetting({ key, value }).then(
          () => null,
          (reason: unknown) => reason as { code?: unknown; userMessage?: unknown },
        );
        const about = `${key} ${String(value).slice(0, 100)}: ${String(error?.code)}`;
        const saved = key === 'baseUrl' && typeof value === 'string' ? completedAddress(value) : (value ?? undefined);
        assert.equal(editor.userSettings.get(`ollamaCopilot.${key}`), error === null ? saved : undefined, about);
        if (error === null) assert.equal((await setting(key))?.problem, null, about);
        else assert.deepEqual([error.code, typeof error.userMessage], ['settingValue', 'string'], about);
      }
    });
  }

  it('passes on why the editor could not save', async () => {
    editor.settingsFailure = new Error('Unable to write into user settings.');
    await assert.rejects(api.saveSetting({ key: 'baseUrl', value: 'http://box' }), {
      code: 'settingNotSaved',
      userMessage: 'Could not save the setting. Unable to write into user settings.',
    });
  });

  it('tells of a saved value that cannot be used', async () => {
    editor.userSettings.set('ollamaCopilot.baseUrl', 'localhost:11434');
    const found = await setting('baseUrl');
    assert.deepEqual(
      [found?.value, found?.problem],
      ['localhost:11434', 'Enter an address that starts with http:// or https://.'],
    );
  });

  it('shows the settings also where the token cannot be read', async () => {
    const broken = handlers(() => Promise.reject(new Error('The keyring is locked')));
    assert.equal((await broken.api.readSettings({})).hasToken, false);
  });

  it('removes the token only after a yes', async () => {
    const one = handlers();
    await one.api.removeToken({});
    assert.deepEqual(one.removed, []);
    editor.answer = 'Remove';
    await one.api.removeToken({});
    assert.deepEqual(one.removed, ['token']);
  });

  it('opens the editor’s own settings at a key', async () => {
    await api.openEditorSettings({ key: 'agent.keepAlive' });
    await api.openEditorSettings({ key: null });
    assert.deepEqual(
      editorCalls.map(({ args }) => args),
      [
        ['workbench.action.openSettings', '@id:ollamaCopilot.agent.keepAlive'],
        ['workbench.action.openSettings', '@ext:ollama-copilot.ollama-copilot'],
      ],
    );
  });
});
