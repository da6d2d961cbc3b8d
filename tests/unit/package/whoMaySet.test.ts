import assert from 'node:assert/strict';
import { settingDefaults } from '../../../src/config/settings';
import { workspaceRules } from '../../../src/config/workspaceRules';
import { manifest, readText } from './manifest';

const { properties } = manifest.contributes.configuration;

/** Returns who may set a setting, according to package.json and the rules in the code. */
function enforced(key: string): string {
  const scope = properties[`ollamaCopilot.${key}`]?.scope ?? 'window';
  const rule = workspaceRules[key] ?? (key === 'baseUrl' ? 'asked' : null);
  if (rule === null) return scope;
  return scope === 'window' ? rule : `${scope}, but has a rule`;
}

/** Returns the rows of the table in docs/configuration.md: each setting with the word in brackets. */
function documented(): [key: string, who: string][] {
  const [, section = ''] = readText('docs', 'configuration.md').split('\n## Who may set what\n');
  const [table = ''] = section.split('\n### ');
  return [...table.matchAll(/^\| [^|]*\(`(\w+)`\) \| (.+) \|$/gm)].flatMap(([, who = '', keys = '']) =>
    [...keys.matchAll(/`([\w.]+)`/g)].map(([, key = '']): [string, string] => [key, who]),
  );
}

describe('who may set what', () => {
  const keys = Object.keys(settingDefaults()).sort();

  it('is documented as package.json and the code enforce it, each setting once', () => {
    assert.deepEqual(
      documented().sort(),
      keys.map((key) => [key, enforced(key)]),
    );
  });

  it('leaves no setting to a workspace without a rule or a question', () => {
    assert.deepEqual(
      keys.filter((key) => enforced(key) === 'window'),
      [],
    );
  });

  it('withholds the address of an untrusted workspace', () => {
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, ['ollamaCopilot.baseUrl']);
  });
});
