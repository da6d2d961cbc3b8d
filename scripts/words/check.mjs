import { readFileSync } from 'node:fs';
import { main, note } from '../lib/console.mjs';
import { extractTexts } from '../lib/l10n.mjs';
import { inRoot, root } from '../lib/paths.mjs';
import { addedEnglish, baseCommit } from './addedLines.mjs';
import { buttonTexts } from './buttonTexts.mjs';
import { germanProblems } from './glossary.mjs';
import { tooLong } from './lengths.mjs';
import { tellTales } from './patterns.mjs';

/** Files in which added lines are checked for unclear phrases: English strings and documentation. */
const english = ['l10n/bundle.l10n.de.json', 'package.nls.json', 'README.md', 'docs/*.md', 'docs/**/*.md'];

/**
 * The step "words" of `npm run lint`. In added lines only, rejects phrases that make English hard
 * to read. In all texts, rejects texts that are too long for their place or do not follow
 * `glossary.de.json`. `allowed.json` lists phrases that are correct nevertheless, with the reason.
 */
await main(async () => {
  const problems = [...(await phrasesInAddedLines()), ...lengths(), ...germanWords()];
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) console.log('Rewrite the sentence, or add it to scripts/words/allowed.json or glossary.de.json.');
  return problems.length === 0 ? 0 : 1;
});

async function phrasesInAddedLines() {
  const base = await baseCommit(root);
  if (base === undefined) {
    note('No commit to compare with: added lines are not checked.');
    return [];
  }
  const allowed = Object.keys(readJson('scripts/words/allowed.json'));
  return (await addedEnglish(root, base, english)).flatMap(({ file, line, text }) =>
    tellTales(text, allowed).map(({ index, match, advice }) => {
      const at = line + text.slice(0, index).split('\n').length - 1;
      return `${file}:${at}: "${match}": ${advice}`;
    }),
  );
}

function lengths() {
  const [view, manifest, german] = ['l10n/bundle.l10n.de.json', 'package.nls.json', 'package.nls.de.json'].map(readJson);
  const named = (prefix, use) =>
    Object.keys(manifest)
      .filter((key) => key.startsWith(prefix))
      .map((key) => ({ text: manifest[key], translation: german[key], use }));
  const shown = (texts, use) => texts.map((text) => ({ text, translation: view[text], use }));
  return tooLong([
    ...named('commands.', 'button'),
    ...named('settings.', 'description'),
    ...shown(buttonTexts(), 'button'),
    ...shown(extractTexts().texts, 'message'),
  ]);
}

function germanWords() {
  const [view, manifest, german] = ['l10n/bundle.l10n.de.json', 'package.nls.json', 'package.nls.de.json'].map(readJson);
  const pairs = [
    ...Object.entries(view),
    ...Object.entries(german).flatMap(([key, text]) => (key in manifest ? [[manifest[key], text]] : [])),
  ];
  return germanProblems(
    pairs.map(([english, text]) => ({ english, german: text })),
    readJson('scripts/words/glossary.de.json'),
  );
}

function readJson(name) {
  return JSON.parse(readFileSync(inRoot(name), 'utf8'));
}
