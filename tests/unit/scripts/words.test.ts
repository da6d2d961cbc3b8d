import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repository } from '../package/manifest';

interface Words {
  tellTales: (text: string, allowed?: string[]) => { index: number; match: string; advice: string }[];
  baseCommit: (folder: string) => Promise<string | undefined>;
  addedEnglish: (folder: string, base: string, paths: string[]) => Promise<{ file: string; line: number; text: string }[]>;
  englishOf: (file: string, content: string, lines: number[]) => { line: number; text: string }[];
  tooLong: (texts: { text: string; use: string; translation?: string }[]) => string[];
  buttonTextsOf: (file: string, code: string) => string[];
}

describe('the lint step "words"', () => {
  let words: Words;
  before(async () => {
    const names = ['patterns', 'addedLines', 'lengths', 'buttonTexts'];
    const parts = names.map(async (name) => (await import(path.join(repository, `scripts/words/${name}.mjs`))) as object);
    words = Object.assign({}, ...(await Promise.all(parts))) as Words;
  });
  const matches = (text: string, allowed?: string[]) => words.tellTales(text, allowed).map(({ match }) => match);

  const refused: [text: string, phrase: string][] = [
    ['It has a window of its own.', 'of its own'],
    ['Then it is made\nanew.', 'anew'],
    ['Takes 5 at the most.', 'at the most'],
    ['The model is told of the change.', 'is told of'],
    ['It is kept for those who ask.', 'those who'],
    ['Shows what is in it.', 'what is'],
    ['The file is left as it stood.', 'as it stood'],
    ['The text goes along.', 'goes along'],
    ['The chat comes back.', 'comes back'],
    ['Bring back the file.', 'Bring back'],
    ['It was mended.', 'mended'],
    ['Of an undo the model hears.', 'Of an'],
    ['It is off. So is the index.', 'So is'],
  ];
  for (const [text, phrase] of refused) it(`refuses "${phrase}"`, () => assert.ok(matches(text).includes(phrase)));

  const accepted = [
    'Find the most recent match at the most recent place.',
    'Controls whether what the server sends is shown in the chat.',
    'Select the model for inline suggestions. {0} stands for the file name.',
    'Restore the checkpoint? What is sent to the server?',
    'The number of times, of a kind.',
    'Undo the changes in the selected files. The files are restored.',
  ];
  for (const text of accepted) it(`accepts "${text}"`, () => assert.deepEqual(matches(text), []));

  it('leaves out phrases of the allow-list', () => {
    assert.deepEqual(matches('It reads what is on screen, and what is not.', ['what is on screen']), ['what is']);
  });

  it('reads the English of translations, manifest texts and pages, without code and links', () => {
    const bundle = '{\n  "Made anew": "Neu gemacht",\n  "Say \\"x\\"": "Sag"\n}';
    assert.deepEqual(words.englishOf('l10n/bundle.l10n.de.json', bundle, [1, 2, 3, 4]), [
      { line: 2, text: 'Made anew' },
      { line: 3, text: 'Say "x"' },
    ]);
    assert.deepEqual(words.englishOf('package.nls.json', '{\n  "a.b": "Open"\n}', [2]), [{ line: 2, text: 'Open' }]);
    const page = ['# One', 'The `anew` of', 'it.', '', '```sh', 'anew', '```', 'See [this](anew.md).'].join('\n');
    const texts = words.englishOf('docs/a.md', page, [1, 2, 3, 6, 8]);
    assert.deepEqual(
      texts.map(({ line }) => line),
      [1, 6, 8],
    );
    assert.match(texts[0]?.text ?? '', /^# One\nThe x +of\nit\.$/);
    assert.ok(texts.every(({ text }) => !text.includes('anew')));
  });

  describe('in a repository', () => {
    let folder: string;
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: folder, encoding: 'utf8' }).trim();
    const commit = (text: string) => {
      writeFileSync(path.join(folder, 'docs', 'a.md'), text);
      git('add', '.');
      git('commit', '-q', '-m', 'change');
      return git('rev-parse', 'HEAD');
    };
    beforeEach(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'words-'));
      mkdirSync(path.join(folder, 'docs'));
      git('init', '-q', '-b', 'main');
    });

    it('compares a branch with its merge base, and main with the commit before', async () => {
      const first = commit('one\n');
      const second = commit('one\ntwo\n');
      assert.equal(await words.baseCommit(folder), first);
      git('checkout', '-q', '-b', 'work');
      commit('one\ntwo\nthree\n');
      commit('one\ntwo\nthree\nfour\n');
      assert.equal(await words.baseCommit(folder), second);
      assert.deepEqual(await words.addedEnglish(folder, second, ['docs/*.md']), [
        { file: 'docs/a.md', line: 3, text: 'three\nfour' },
      ]);
    });

    it('compares with the commit before without a main, and with nothing if there is one commit', async () => {
      const first = commit('one\n');
      assert.equal(await words.baseCommit(folder), undefined);
      git('checkout', '-q', '-b', 'work');
      git('branch', '-q', '-D', 'main');
      commit('one\ntwo\n');
      assert.equal(await words.baseCommit(folder), first);
    });

    it('reads new texts of a translation, not those whose translation has changed', async () => {
      const file = path.join(folder, 'docs', 'bundle.l10n.de.json');
      writeFileSync(file, '{\n  "Made anew": "Neu"\n}\n');
      const first = commit('one\n');
      writeFileSync(file, '{\n  "Made anew": "Neu erstellt",\n  "Made again": "Noch einmal"\n}\n');
      assert.deepEqual(await words.addedEnglish(folder, first, ['docs/*.json']), [
        { file: 'docs/bundle.l10n.de.json', line: 3, text: 'Made again' },
      ]);
    });

    it('reads changes that are not committed, and no deleted file', async () => {
      const first = commit('one\ntwo\n');
      writeFileSync(path.join(folder, 'docs', 'a.md'), 'zero\none\n');
      assert.deepEqual(await words.addedEnglish(folder, first, ['docs/*.md']), [{ file: 'docs/a.md', line: 1, text: 'zero' }]);
      git('rm', '-q', '-f', 'docs/a.md');
      assert.deepEqual(await words.addedEnglish(folder, first, ['docs/*.md']), []);
    });
  });

  it('limits the length of buttons and descriptions, without placeholders and icons', () => {
    const long = 'x'.repeat(33);
    assert.deepEqual(
      words.tooLong([{ text: `$(sync~spin) {0}${'x'.repeat(32)}`, use: 'button', translation: 'x'.repeat(44) }]),
      [],
    );
    assert.deepEqual(words.tooLong([{ text: long, use: 'button', translation: 'x'.repeat(45) }]), [
      `button (en) of 33 characters, at most 32: "${long}"`,
      `button (de) of 45 characters, at most 44: "${'x'.repeat(45)}"`,
    ]);
    assert.equal(words.tooLong([{ text: 'x'.repeat(241), use: 'description', translation: 'x'.repeat(241) }]).length, 2);
    assert.deepEqual(words.tooLong([{ text: 'x'.repeat(240), use: 'message' }]), []);
  });

  it('finds the texts of buttons in components, without names, tooltips and other elements', () => {
    const code = `<script setup lang="ts">const labels = { a: 'First', b: 'Second' }; t('Elsewhere');</script>
      <template><p>{{ t('Text') }}</p><TextButton :label="t('Name')">{{ t(labels[kind]) }}<b :title="t('Tip')">{{ t('Third') }}</b></TextButton>
        <button v-if="t('If')" :title="t('Tooltip')">{{ isOne ? t('One') : t('Many') }}</button></template>`;
    assert.deepEqual(words.buttonTextsOf('A.vue', code).sort(), ['First', 'Many', 'One', 'Second', 'Third']);
  });

  it('finds the buttons of messages of the editor and of dialogs', () => {
    const code = `const open = l10n.t('Open'); const options = { modal: true, detail: l10n.t('Detail') };
      const close = { title: l10n.t('Close'), isCloseAffordance: true };
      vscode.window.showWarningMessage(l10n.t('Text'), options, open, ...[close]);
      confirm({ text: l10n.t('Question'), yes: l10n.t('Delete') });`;
    assert.deepEqual(words.buttonTextsOf('a.ts', code), ['Open', 'Close', 'Delete']);
  });
});
