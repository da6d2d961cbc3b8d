import assert from 'node:assert/strict';
import path from 'node:path';
import { readText, repository } from './manifest';

/** Normalizes a name for comparison, without placeholders and punctuation, as speech input recognizes it. */
const spoken = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\{\d\}|[…:,.“”„]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const textsOf = (source: string): string[] => [...source.matchAll(/\bt\(\s*'([^']*)'/g)].map(([, text = '']) => text);

describe('the accessible name of a button', () => {
  const german = JSON.parse(readText('l10n', 'bundle.l10n.de.json')) as Record<string, string>;
  let buttons: { file: string; names: string[]; visible: string[] }[];
  before(async () => {
    const { filesIn } = (await import(path.join(repository, 'scripts/lib/fingerprint.mjs'))) as {
      filesIn: (places: string[]) => string[];
    };
    buttons = filesIn(['src/webview'])
      .filter((file) => file.endsWith('.vue'))
      .flatMap((file) => {
        // The name of a row in the chat list is "Open". The row's content is its description.
        const found = file.endsWith('SessionRow.vue')
          ? []
          : readText(file).matchAll(/<(TextButton|button)\b((?:"[^"]*"|[^>"])*)>([^]*?)<\/\1\s*>/g);
        return [...found].map(([, , attributes = '', content = '']) => ({
          file,
          names: textsOf(/:(?:aria-)?label="([^"]*)"/.exec(attributes)?.[1] ?? ''),
          visible: [...content.matchAll(/\{\{([^]*?)\}\}/g)].flatMap(([, shown = '']) => textsOf(shown)),
        }));
      })
      .filter(({ names, visible }) => names.length > 0 && visible.length > 0);
  });

  it('contains the visible text, in both languages (WCAG 2.5.3)', () => {
    assert.ok(buttons.length > 20);
    const wrong = buttons.flatMap(({ file, names, visible }) =>
      visible
        .filter((text) => {
          const has = (translate: (one: string) => string) =>
            names.some((name) => spoken(translate(name)).includes(spoken(translate(text))));
          return !has((one) => one) || !has((one) => german[one] ?? one);
        })
        .map((text) => `${file}: “${text}” in ${names.join(' | ')}`),
    );
    assert.deepEqual(wrong, []);
  });
});
