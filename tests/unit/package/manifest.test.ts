import assert from 'node:assert/strict';
import { settingDefaults } from '../../../src/config/settings';
import { manifest, manifestTexts, readText } from './manifest';

const prefix = 'ollamaCopilot.';

describe('package.json', () => {
  it('declares exactly the settings that the code reads, with the same defaults', () => {
    const { properties } = manifest.contributes.configuration;
    const declared = Object.fromEntries(Object.entries(properties).map(([key, { default: value }]) => [key, value]));
    const read = Object.fromEntries(Object.entries(settingDefaults()).map(([key, value]) => [`${prefix}${key}`, value]));
    assert.deepEqual(declared, read);
  });

  it('lets no repository set what runs or is read without a question, or where conversations are kept', () => {
    const { properties } = manifest.contributes.configuration;
    const open = ['storagePath', 'agent.autoApproveCommands', 'agent.sensitiveFilePatterns'].filter(
      (key) => properties[`${prefix}${key}`]?.scope !== 'machine',
    );
    assert.deepEqual(open, []);
  });

  it('gives every command the category and a title, both translatable', () => {
    const faulty = manifest.contributes.commands.filter(
      ({ title, category }) => category !== '%commands.category%' || !/^%commands\.\w+%$/.test(title),
    );
    assert.deepEqual(faulty, []);
  });

  it('declares every command and every text once', () => {
    const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);
    assert.deepEqual(twice(manifest.contributes.commands.map(({ command }) => command)), []);
    for (const name of ['package.nls.json', 'package.nls.de.json']) {
      assert.deepEqual(twice([...readText(name).matchAll(/^ {2}"([\w.]+)":/gm)].map(([, key]) => key ?? '')), []);
    }
  });

  it('uses exactly the texts that package.nls.json has', () => {
    const used = [...readText('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? '');
    assert.deepEqual([...new Set(used)].sort(), Object.keys(manifestTexts).sort());
  });

  it('describes every setting', () => {
    const silent = Object.entries(manifest.contributes.configuration.properties).filter(
      ([, { markdownDescription, description }]) => !(markdownDescription ?? description),
    );
    assert.deepEqual(silent, []);
  });
});
