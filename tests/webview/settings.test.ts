import german from '../../l10n/bundle.l10n.de.json';
import { afterEach, describe, expect, it } from 'vitest';
import { settingDefaults } from '../../src/config/settings';
import { RequestFailure } from '../../src/protocol/rpc';
import type { SettingState } from '../../src/protocol/webviewEvents';
import { setDisplayLanguage } from '../../src/types/format';
import { findItems, settingsItems } from '../../src/webview/settings/catalogue';
import { setViewTexts } from '../../src/webview/translate';
import { settings, startApp, type TestApp } from './support/fakeHost';
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
    await enter('Maximum steps per message', '40');
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'agent.maxIterations', value: 40 });
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Saved: Maximum steps per message');
    await press('button', 'Reset Maximum steps per message');
    expect(app.api.saveSetting).toHaveBeenLastCalledWith({ key: 'agent.maxIterations', value: null });
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Default: 25');
  });

  it('saves what was typed and not left when another page takes its place, but not what was given up', async () => {
    await open({}, 'Agent');
    const field = get(app.root, 'textbox', 'Maximum steps per message') as HTMLInputElement;
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
    get(app.root, 'textbox', 'Maximum steps per message').focus();
    await enter('Maximum steps per message', '42');
    app.port.emit('navigate', { page: 'chat', sessionId: null });
    await app.settle();
    expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'agent.maxIterations', value: 42 });
  });

  it('has no raw marks of emphasis in its texts', () => {
    app = { wrapper: { unmount: () => undefined } } as unknown as TestApp;
    const texts = settingsItems().flatMap(({ title, effect }) => [title, effect]);
    expect(texts.filter((text) => /\*\S[^*]*\*|`/.test(text))).toEqual([]);
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

  it.each([
    ['ollamaCopilot.agent.keepAlive', 'Keep model in memory'],
    ['@id:ollamaCopilot.agent.keepAlive', 'Keep model in memory'],
    ['Agent: Keep Alive', 'Keep model in memory'],
    ['ollamaCopilot.agent.toolTimeout', 'Tool time limit'],
    ['Agent › Tool Timeout', 'Tool time limit'],
  ])('finds a setting by its ID and by its name in VS Code: %s', (query, title) => {
    expect(findItems(settingsItems(), query).map((item) => item.title)).toEqual([title]);
  });

  it('writes numbers in the display language', async () => {
    setDisplayLanguage('de');
    try {
      await open({}, 'Chat');
      expect((get(app.root, 'textbox', 'Temperature in Agent mode') as HTMLInputElement).value).toBe('0,2');
      const text = spokenText(get(app.root, 'tabpanel'));
      expect(text).toContain('Default: 0,2');
      expect(text).toContain('Default: 65.536');
      const tokens = get(app.root, 'textbox', 'Maximum context window') as HTMLInputElement;
      expect(tokens.value).toBe('65.536');
      await enter('Temperature in Agent mode', '0,5');
      expect(app.api.saveSetting).toHaveBeenCalledExactlyOnceWith({ key: 'agentMode.temperature', value: 0.5 });
    } finally {
      setDisplayLanguage('en-US');
    }
  });

  it('finds a setting by the German word of VS Code', () => {
    setViewTexts(german);
    expect(findItems(settingsItems(), 'Zeitlimit').map(({ key }) => key)).toContain('agent.toolTimeout');
    setViewTexts({});
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
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('Set and saved in this workspace.');
    app.port.emit('settings', withSetting('agent.maxIterations', { value: 25, workspaceValue: 5, inForce: 5 }));
    await press('tab', 'Agent');
    expect(spokenText(get(app.root, 'tabpanel'))).toContain('This workspace sets 5, so 5 is used here.');
    app.port.emit('settings', withSetting('agent.maxIterations', { value: 25, workspaceValue: 99, inForce: 25 }));
    await app.settle();
    const text = spokenText(get(app.root, 'tabpanel'));
    expect(text).toContain('This workspace sets 99. Your value stays in effect');
    expect(text).not.toContain('is used here');
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
      'Maximum answer length in Agent mode',
      'Maximum answer length in Plan mode',
      'Maximum answer length in Ask mode',
      'Maximum answer length in Edit mode',
      'Maximum suggestion length',
    ]);
    expect(all(app.root, 'status').map(spokenText)).toContain('5 settings found');
    expect(has(app.root, 'tab', 'Connection')).toBe(false);
    await find('zebra');
    expect(spokenText(app.root)).toContain('No setting matches “zebra”.');
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

  it('says that the settings could not be read, and tries again', async () => {
    app = await startApp();
    app.api.readSettings.mockRejectedValueOnce(new Error('No'));
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    expect(spokenText(get(app.root, 'alert'))).toContain('Could not read the settings.');
    await press('button', 'Try again');
    expect(has(app.root, 'textbox', 'Server address')).toBe(true);
  });
});
