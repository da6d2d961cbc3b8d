import { editor } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { Settings, settingDefaults, type SettingKey } from '../../../src/config/settings';
import { editorSettings } from '../../../src/vscode/settingsSource';
import { manifest } from '../package/manifest';
import { combinedCases, type SettingCase } from './support/combinedCases';
import { hostileRepositories } from './support/hostileRepositories';
import { serverCases, type Answers } from './support/serverCases';
import { forgetSettings, writeSetting } from './support/settingPlaces';
import { userOnly } from './support/userOnlyCases';

const defaults = settingDefaults();

function settingsWith(answers: Answers = {}): Settings {
  const answerTo = (address: string) => (Object.hasOwn(answers, address) ? answers[address] : undefined);
  return new Settings(editorSettings({ answerTo }), () => undefined);
}

function userOnlyCases(): SettingCase[] {
  return userOnly.flatMap(([key, user, machine, hostile]): SettingCase[] => {
    const { scope } = manifest.contributes.configuration.properties[`ollamaCopilot.${key}`] ?? {};
    const byDefault = defaults[key as SettingKey];
    return [
      [key, { workspace: hostile }, byDefault],
      [key, { workspace: hostile, folder: hostile }, byDefault],
      [key, { user, workspace: hostile }, user],
      [key, { user, folder: hostile }, user],
      [key, { user, machine, workspace: hostile }, scope === 'application' ? user : machine],
      [key, { user, workspace: hostile, isRemote: true }, scope === 'machine' ? byDefault : user],
    ];
  });
}

/** Describes the cases with an unexpected effective value. */
function wrong(cases: readonly SettingCase[]): string[] {
  return cases.flatMap(([key, places, inForce]) => {
    forgetSettings();
    writeSetting(key, places);
    const found = settingsWith().readValue(key as SettingKey);
    try {
      assert.deepEqual(found, inForce);
      return [];
    } catch {
      return [`${key} ${JSON.stringify(places)}: ${JSON.stringify(found)}, not ${JSON.stringify(inForce)}`];
    }
  });
}

describe('settings of a repository', () => {
  afterEach(forgetSettings);

  it('have at least 200 cases, and each setting has some', () => {
    const keys = [...userOnlyCases(), ...combinedCases].map(([key]) => key);
    assert.ok(keys.length + serverCases.length + hostileRepositories.length >= 200);
    assert.deepEqual([...new Set([...keys, 'baseUrl'])].sort(), Object.keys(defaults).sort());
  });

  it('do not count where only the user may decide', () => {
    assert.deepEqual(wrong(userOnlyCases()), []);
  });

  it('count only as far as they are stricter than the user’s', () => {
    assert.deepEqual(wrong(combinedCases), []);
  });

  it('lead to another server only after a yes to exactly that address', () => {
    const found = serverCases.flatMap(([places, answers, inForce, asked]) => {
      forgetSettings();
      writeSetting('baseUrl', places);
      const settings = settingsWith(answers);
      const server = settings.workspaceServer;
      const is = [settings.baseUrl, server?.isAllowed === undefined ? (server?.address ?? null) : null];
      return is[0] === inForce && is[1] === asked ? [] : [[JSON.stringify(places), ...is]];
    });
    assert.deepEqual(found, []);
  });

  for (const { aim, user, repository, inForce } of hostileRepositories) {
    it(`get nothing by a repository that ${aim}`.replace('get nothing by a repository that none:', 'are heard:'), () => {
      for (const key of new Set([...Object.keys(user), ...Object.keys(repository)]))
        writeSetting(key, { user: user[key], workspace: repository[key] });
      const settings = settingsWith();
      const found = Object.keys(inForce).map((key) => [
        key,
        key === 'baseUrl' ? settings.baseUrl : settings.readValue(key as SettingKey),
      ]);
      assert.deepEqual(Object.fromEntries(found), inForce);
    });
  }

  it('are told once where they cannot be used, and change nothing', () => {
    const told: string[] = [];
    editor.userSettings.set('ollamaCopilot.agent.maxIterations', 3);
    editor.workspaceSettings.set('ollamaCopilot.agent.maxIterations', 'many');
    const settings = new Settings(editorSettings({ answerTo: () => undefined }), ({ setting }) => told.push(setting));
    assert.deepEqual([settings.getAgentConfig().maxIterations, settings.getAgentConfig().maxIterations], [3, 3]);
    assert.deepEqual(told, ['ollamaCopilot.agent.maxIterations']);
  });
});
