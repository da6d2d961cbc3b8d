import { editor, statusItem } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { localOnlyContribution } from '../../../src/composition/contributions/localOnlyContribution';
import type { WindowServices } from '../../../src/composition/contribution';
import { Settings } from '../../../src/config/settings';

describe('The shield in the status bar', () => {
  const { createStatusBarItem } = vscode.window;
  let isShown: boolean;
  beforeEach(() => {
    isShown = false;
    const item = { ...statusItem, show: () => (isShown = true), hide: () => (isShown = false), dispose: () => undefined };
    vscode.window.createStatusBarItem = (() => item) as unknown as typeof createStatusBarItem;
    Object.assign(shown, { item });
  });
  afterEach(() => {
    vscode.window.createStatusBarItem = createStatusBarItem;
    editor.userSettings.clear();
  });
  const shown: { item?: { tooltip?: unknown; command?: unknown; accessibilityInformation?: { label: string } } } = {};
  const start = (values: Record<string, unknown>) => {
    const settings = new Settings({ get: (key) => values[key] }, () => assert.fail());
    return localOnlyContribution.start({ settings } as unknown as WindowServices);
  };

  it('is absent by default', async () => {
    await start({}).dispose();
    assert.equal(isShown, false);
  });

  it('is there with local connections only, names what else is allowed, and leads to the settings', async () => {
    await start({ 'privacy.localOnly': true, 'privacy.allowedAddresses': ['nas.lan', 'box:1'] }).dispose();
    assert.equal(isShown, true);
    const { tooltip, command, accessibilityInformation } = shown.item ?? {};
    assert.equal(tooltip, 'Ollama Copilot contacts only this computer.\nAlso allowed: nas.lan, box:1');
    assert.deepEqual([command, accessibilityInformation?.label], ['ollamaCopilot.openPrivacy', 'Local connections only']);
  });
});
