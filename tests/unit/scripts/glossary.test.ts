import assert from 'node:assert/strict';
import path from 'node:path';
import { readText, repository } from '../package/manifest';

interface Glossary {
  terms: { english: string; german: string; never?: string }[];
  meanings: { word: string; english: string; meaning: string }[];
  exceptions: Record<string, string>;
  toModel: string[];
}
type Problems = (texts: { english: string; german: string }[], glossary: Glossary) => string[];

describe('the German glossary', () => {
  const glossary = JSON.parse(readText('scripts', 'words', 'glossary.de.json')) as Glossary;
  const view = JSON.parse(readText('l10n', 'bundle.l10n.de.json')) as Record<string, string>;
  const [manifest, german] = ['package.nls.json', 'package.nls.de.json'].map(
    (name) => JSON.parse(readText(name)) as Record<string, string>,
  ) as [Record<string, string>, Record<string, string>];
  let germanProblems: Problems;
  let filesIn: (places: string[]) => string[];
  before(async () => {
    ({ germanProblems } = (await import(path.join(repository, 'scripts/words/glossary.mjs'))) as { germanProblems: Problems });
    ({ filesIn } = (await import(path.join(repository, 'scripts/lib/fingerprint.mjs'))) as { filesIn: typeof filesIn });
  });
  const problems = (english: string, text: string): string[] =>
    germanProblems(
      [
        { english, german: text },
        { english: 'Check, then write.', german: 'Prüfen Sie, und schreiben Sie.' },
      ],
      glossary,
    );

  it('holds for every text', () => {
    const texts = [
      ...Object.entries(view).map(([english, text]) => ({ english, german: text })),
      ...Object.entries(german).map(([key, text]) => ({ english: manifest[key] ?? '', german: text })),
    ];
    assert.ok(texts.length > 2_000);
    assert.deepEqual(germanProblems(texts, glossary), []);
  });

  it('has exceptions only for texts that exist', () => {
    const texts = [...Object.keys(view), ...Object.values(manifest)];
    const excepted = [...Object.keys(glossary.exceptions), ...glossary.toModel];
    assert.deepEqual(
      excepted.filter((text) => !texts.includes(text)),
      [],
    );
  });

  it('puts no quotes of one language around a name', () => {
    const files = filesIn(['src/services', 'src/vscode', 'src/views', 'src/webview', 'src/composition', 'src/completion']);
    assert.ok(files.length > 300);
    assert.deepEqual(
      files.filter((file) => /\.(ts|vue)$/.test(file) && readText(file).includes('`“${')),
      [],
    );
  });

  it('has other words for a call that waits than for a finished call, in both languages', () => {
    const titles = filesIn(['src/agent/tools']).flatMap((file) => [
      ...readText(file).matchAll(/\bdone: '([^']*)',\s[^;]*?\bplanned: '([^']*)'/g),
    ]);
    assert.ok(titles.length > 20);
    for (const [, done = '', planned = ''] of titles) {
      assert.notEqual(planned, done);
      assert.notEqual(view[planned], view[done]);
    }
  });

  const refused: [english: string, text: string][] = [
    ['Restore checkpoint', 'Stand wiederherstellen'],
    ['Delete the backup', 'Den Checkpoint löschen'],
    ['{0} of {1} tools', '{0} von {1} Werkzeugen'],
    ['Undo', 'Zurücknehmen'],
    ['Open inline chat', 'Inline-Chat öffnen'],
    ['Pull {0}', '{0} laden'],
    ['Check the file.', 'Prüfe die Datei.'],
    ['Check it, then write.', 'Prüfen Sie sie, und schreibe dann.'],
    ['Your browser', 'Dein Browser'],
    ['Delete “{0}”', '“{0}” löschen'],
    ['Delete “{0}”', '"{0}" löschen'],
    ['Open…', 'Öffnen …'],
    ['Inline suggestions', 'Vervollständigung'],
    ['Skip', 'Ablehnen'],
    ['Refused by the server', 'Vom Server übersprungen'],
    ['Approve or skip it.', 'Genehmigen Sie sie, oder lehnen Sie sie ab.'],
    ['Run command', 'Befehl erlauben'],
    ['Hosts of the list', 'Genehmigte Hosts'],
    ['Keep', 'Annehmen'],
    ['Accept', 'Beibehalten'],
  ];
  for (const [english, text] of refused) it(`refuses ${text}`, () => assert.notDeepEqual(problems(english, text), []));

  const accepted: [english: string, text: string][] = [
    ['Checkpoints around tool calls', 'Prüfpunkte vor und nach Toolaufrufen'],
    ['Limit in “agent.maxTokens”, of `tools`', 'Limit in „agent.maxTokens“, von `tools`'],
    ['Delete “{0}”, and “{1}”', '„{0}“ und „{1}“ löschen'],
    ['Open…', 'Öffnen…'],
    ['Approve tool. Press Control+Enter to allow it.', 'Tool genehmigen. Drücken Sie Strg+Eingabe, um es zu erlauben.'],
    ['Keep {0}', '{0} beibehalten'],
    ['… and {0} more', '… und {0} weitere'],
    ['Write tests for this code, in the style of the tests that the project has.', 'Schreibe Tests.'],
  ];
  for (const [english, text] of accepted) it(`accepts ${text}`, () => assert.deepEqual(problems(english, text), []));
});
