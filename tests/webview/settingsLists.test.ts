import { afterEach, describe, expect, it } from 'vitest';
import type { SettingState } from '../../src/protocol/webviewEvents';
import { settings, startApp, type TestApp } from './support/fakeHost';
import { all, get, nameOf, spokenText } from './support/roles';

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

describe('lists in the settings', () => {
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

  it('edits a list: adds, changes and removes items, each saved at once', async () => {
    await open({ settings: withSetting('checkpoints.exclude', { value: ['*.iso', 'data/'], isSet: true }) }, 'Checkpoints');
    const list = () => get(app.root, 'group', 'Excluded files');
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
    await press('button', 'Reset Excluded files');
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
    await press('button', 'Excluded files: open in VS Code settings');
    expect(app.api.openEditorSettings).toHaveBeenCalledExactlyOnceWith({ key: 'checkpoints.exclude' });
    expect(app.api.saveSetting).not.toHaveBeenCalled();
  });
});
