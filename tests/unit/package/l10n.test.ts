import assert from 'node:assert/strict';
import path from 'node:path';
import { repository } from './manifest';

interface L10n {
  extractTexts(): { texts: string[]; problems: string[] };
  textsOf(file: string, code: string): { texts: string[]; problems: string[] };
  checkTranslations(): { language: string; missing: string[]; unused: string[]; wrong: string[] }[];
}

describe('translations', () => {
  let l10n: L10n;
  before(async () => {
    l10n = (await import(path.join(repository, 'scripts/lib/l10n.mjs'))) as L10n;
  });

  it('finds the texts of scripts, also behind conditions and constants', () => {
    const code = `
      const labels = { retry: 'Retry', stop: cond('Stop {0}', 'Halt') } as const;
      const words = has ? labels : { other: 'Other' };
      t('Plain'); vscode.l10n.t("In {0}", where); t(one ? 'One' : \`Many\`, 2); t(words[state]);
      format('not this'); list.t('nor this'); t(given);`;
    assert.deepEqual(l10n.textsOf('a.ts', code), {
      texts: ['Plain', 'In {0}', 'One', 'Many', 'Retry', 'Stop {0}', 'Halt', 'Other'],
      problems: ['a.ts: t(given)'],
    });
  });

  it('finds those of the core, and a text in pieces as one', () => {
    const code = `const messages = { full: 'Full. ' + 'Free some space.' }; phrase(messages[code]); t('Gone. ' + (one ? 'It' : 'They'));`;
    assert.deepEqual(l10n.textsOf('a.ts', code).texts, ['Full. Free some space.', 'Gone. It', 'Gone. They']);
  });

  it('finds those that are data where they stand', () => {
    const code = `const row = { family: 'read', titles: translatable({ done: 'Read {0}', running: 'Reading {0}' }) };`;
    assert.deepEqual(l10n.textsOf('a.ts', code), { texts: ['Read {0}', 'Reading {0}'], problems: [] });
  });

  it('takes of an object only what is named', () => {
    const code = `const ways = { a: { id: 'first', label: 'First' } }; const way = computed(() => ways[code] ?? null); t(way.label);`;
    assert.deepEqual(l10n.textsOf('a.ts', code).texts, ['First']);
  });

  it('finds the texts of components, in attributes, conditions and slots', () => {
    const code = `<script setup lang="ts">const names = { a: t('Name') }; const later = 'Later';</script>
      <template><div :title="t('Title')" v-if="t('If') !== ''" @click="say(t('Said {0}', name))">
        <Part v-slot="{ item }"><b v-for="x in list" :key="x">{{ t('It is {0}', x) }} {{ t(later) }}</b></Part></div></template>`;
    assert.deepEqual([...l10n.textsOf('A.vue', code).texts].sort(), ['If', 'It is {0}', 'Later', 'Name', 'Said {0}', 'Title']);
  });

  it('finds those of the extension and its view', () => {
    const { texts, problems } = l10n.extractTexts();
    assert.deepEqual(problems, []);
    const some = [
      ...['Send', 'Read {0}', 'Could not use {0}', 'Open Settings', 'high risk', 'Show {0} earlier messages'],
      ...[
        'This checkpoint no longer exists.',
        'The window is closing.',
        'Something went wrong: {0}',
        'deletes files',
        'exit code {0}',
      ],
    ];
    assert.deepEqual(
      some.filter((text) => !texts.includes(text)),
      [],
    );
  });

  it('keep the placeholders of their texts, and there is one into German', () => {
    const languages = l10n.checkTranslations();
    assert.ok(languages.some(({ language }) => language === 'de'));
    for (const { language, wrong } of languages) assert.deepEqual(wrong, [], `${language}: run \`npm run l10n\``);
  });
});
