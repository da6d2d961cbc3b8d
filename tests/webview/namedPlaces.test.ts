import { afterEach, describe, expect, it } from 'vitest';
import german from '../../l10n/bundle.l10n.de.json';
import englishManifest from '../../package.nls.json';
import germanManifest from '../../package.nls.de.json';
import { settingDefaults } from '../../src/config/settings';
import { settingsTabs } from '../../src/webview/settings/catalogue';
import { setViewTexts } from '../../src/webview/translate';

/** Quoted names that do not come from the interface: files, commands of other programs, examples. */
const otherNames = [
  ...['backups', 'objects', 'sessions.sqlite', 'sessions.sqlite*', '.git'],
  ...['git fsck', 'ollama signin', 'qwen3:8b', '*', 'cloud', 'Cloud'],
];
const settingNames = Object.keys(settingDefaults()).flatMap((key) => [key, `ollamaCopilot.${key}`, key.split('.').at(-1) ?? '']);

const withoutIcon = (text: string) => text.replace(/^\$\([\w-]+\) /, '');
const texts = {
  en: [...Object.keys(german), ...Object.values(englishManifest)].map(withoutIcon),
  de: [...Object.values(german), ...Object.values(germanManifest)].map(withoutIcon),
};

/** Returns the names matched by a pattern that are not known, each with its text. */
function unknown(list: readonly string[], pattern: RegExp, known: readonly string[]): string[] {
  const names = new Set(known);
  return list.flatMap((text) =>
    [...text.matchAll(pattern)].flatMap(([, name = '']) => (name.includes('{') || names.has(name) ? [] : [`${name}: ${text}`])),
  );
}

function tabNames(language: 'en' | 'de'): string[] {
  setViewTexts(language === 'de' ? german : {});
  return settingsTabs().map(({ name }) => name);
}

describe('a text that names a part of the interface', () => {
  afterEach(() => setViewTexts({}));

  it('quotes only texts of the interface, settings, and a few other names', () => {
    expect(unknown(texts.en, /“([^”]+)”/g, [...texts.en, ...settingNames, ...otherNames])).toEqual([]);
    expect(unknown(texts.de, /„([^“]+)“/g, [...texts.de, ...settingNames, ...otherNames])).toEqual([]);
  });

  it('names only pages of the settings that exist', () => {
    const english = /(?:\bunder |\bopen (?=\w+ in the settings)|\bthe (?=\w+ page\b))([A-Z]\w+)/g;
    expect(unknown(texts.en, english, tabNames('en'))).toEqual([]);
    const places = /(?:\bunter |\bSeite |\bEinstellungen:? |\bEinstellungsseite )„([^“]+)“/g;
    expect(unknown(texts.de, places, [...tabNames('de'), ...settingNames])).toEqual([]);
  });

  it('names only buttons that exist', () => {
    const pressed = /(?<=[.,:] (?:then )?)[Ss]elect ([A-Z][\w ]*?…?)(?= to | for | under |[.,]|$)/g;
    expect(unknown(texts.en, pressed, texts.en)).toEqual([]);
  });
});
