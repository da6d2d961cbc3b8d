import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { applyPatchTool } from '../../../../src/agent/tools/edit/applyPatch';
import { applyHunks } from '../../../../src/agent/tools/edit/patchPlaces';
import { parsePatch } from '../../../../src/agent/tools/edit/patchText';
import { ToolBench } from '../support/toolBench';

describe('apply_patch, where patches are unusual', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  /** Applies a patch to `a.txt`. Resolves with the outcome and the new text. */
  async function patched(before: string, ...lines: string[]): Promise<[string, string, string]> {
    await writeFile(bench.file('a.txt'), before);
    const { status, content } = await bench.attempt(applyPatchTool(bench.editing), { patch: lines.join('\n') });
    return [status, await readFile(bench.file('a.txt'), 'utf8'), content];
  }

  it('finds lines whose blanks inside are different', () => {
    const [file] = parsePatch(['*** Update File: a.txt', '@@', ' if  (a ==  b) {', '-  run(a,  b);', '+  stop();'].join('\n'));
    assert.ok(file?.kind === 'modify');
    assert.deepEqual(applyHunks('if (a == b) {\n  run(a, b);\n}\n', file.hunks), {
      text: 'if (a == b) {\n  stop();\n}\n',
      slips: ['spaces'],
    });
  });

  const empty: Record<string, string[]> = {
    'an Update File': ['*** Begin Patch', '*** Update File: a.txt', '*** End Patch'],
    'an Update File with blank lines': ['*** Begin Patch', '*** Update File: a.txt', '', '@@', '', '*** End Patch'],
    'names alone': ['--- a/a.txt', '+++ b/a.txt'],
    'a change of the mode': ['diff --git a/a.txt b/a.txt', 'old mode 100644', 'new mode 100755'],
  };
  for (const [name, lines] of Object.entries(empty)) {
    it(`refuses ${name} without a change`, async () => {
      const [status, text, content] = await patched('a\n', ...lines);
      assert.deepEqual([status, text], ['error', 'a\n'], content);
      assert.match(content, /changes nothing in a\.txt/);
    });
  }

  it('takes a rename without a change', () => {
    assert.deepEqual(parsePatch('*** Update File: a.txt\n*** Move to: b.txt'), [
      { kind: 'modify', path: 'a.txt', newPath: 'b.txt', hunks: [] },
    ]);
  });

  it('says that the new text is the one that is there', async () => {
    const [status, text, content] = await patched('a\nb\n', '*** Update File: a.txt', '@@', '-a', '+a', ' b');
    assert.deepEqual(
      [status, text, content],
      ['success', 'a\nb\n', 'a.txt already has exactly this text, so nothing was changed.'],
    );
  });

  const lines = [
    '*** Begin Patch',
    '*** Update File: a.txt',
    '@@',
    ' a',
    '-b',
    '+c',
    '*** Add File: new.txt',
    '+x',
    '*** End Patch',
  ];
  const indented: Record<string, string[]> = {
    'the whole patch': lines.map((line) => `    ${line}`),
    'the whole patch, by one blank': lines.map((line) => ` ${line}`),
    'the whole patch, by a tab': lines.map((line) => `\t${line}`),
    'the markers': lines.map((line) => (line.startsWith('***') ? `  ${line}` : line)),
  };
  for (const [name, patch] of Object.entries(indented)) {
    it(`reads a patch that is indented: ${name}`, async () => {
      const [status, text, content] = await patched('a\nb\n', ...patch);
      assert.deepEqual([status, text, content], ['success', 'a\nc\n', 'Changed a.txt: +1 −1\nCreated new.txt: +1 −0']);
      assert.equal(await readFile(bench.file('new.txt'), 'utf8'), 'x\n');
    });
  }

  it('leaves markers alone that are lines of the file', async () => {
    const [, text] = await patched('*** Update File: x\nb\n', '*** Update File: a.txt', '@@', ' *** Update File: x', '-b', '+c');
    assert.equal(text, '*** Update File: x\nc\n');
  });

  const ends: Record<string, [string, string]> = {
    'all of them': ['a\r\r\nb\r\r\nc\r\r\nd\r\r\n', 'a\r\r\nB\r\nc\r\r\nd\r\r\n'],
    'one, far from the change': ['x\r\r\na\r\nb\r\nc\r\n', 'x\r\r\na\r\nB\r\nc\r\n'],
    'one, beside the change': ['a\r\r\nb\nc\n', 'a\r\r\nB\nc\n'],
  };
  for (const [name, [before, after]] of Object.entries(ends)) {
    it(`keeps the line ends \\r\\r\\n of lines that no part is about: ${name}`, async () => {
      assert.deepEqual((await patched(before, '*** Update File: a.txt', '@@', ' a', '-b', '+B', ' c'))[1], after);
    });
  }

  const sql = ['--- a/a.txt', '+++ b/a.txt'];
  const removed: Record<string, [string[], string, string]> = {
    'with the counts of lines': [[...sql, '@@ -1,3 +1,3 @@', ' a', '--- x', '+++ y', ' c'], 'a\n-- x\nc\n', 'a\n++ y\nc\n'],
    'without the counts': [[...sql, '@@', ' a', '--- x', '+++ y', ' c'], 'a\n-- x\nc\n', 'a\n++ y\nc\n'],
    'above another part': [
      [...sql, '@@ -1,2 +1,2 @@', ' a', '--- x', '+++ y', '@@ -4,1 +4,1 @@', '-d', '+D'],
      'a\n-- x\nc\nd\n',
      'a\n++ y\nc\nD\n',
    ],
    'in a patch by git': [
      ['diff --git a/a.txt b/a.txt', ...sql, '@@ -1,2 +1,2 @@', ' a', '--- x', '+++ y'],
      'a\n-- x\n',
      'a\n++ y\n',
    ],
  };
  for (const [name, [patch, before, after]] of Object.entries(removed)) {
    it(`takes a removed "-- x" above an added "++ y" for lines ${name}`, async () => {
      const [status, text, content] = await patched(before, ...patch);
      assert.deepEqual([status, text], ['success', after], content);
    });
  }

  it('reads the names of several files, with and without counts of lines', () => {
    const two = (...heads: string[]) =>
      parsePatch(['--- a/x', '+++ b/x', heads[0], ' a', '-b', '+c', '--- a/y', '+++ b/y', heads[1], '-d', '+e'].join('\n'));
    for (const heads of [
      ['@@ -1,2 +1,2 @@', '@@ -1 +1 @@'],
      ['@@', '@@'],
      ['@@ -1,99 +1,1 @@', '@@ -1 +1 @@'],
    ] as const) {
      assert.deepEqual([heads, two(...heads).map(({ path }) => path)], [heads, ['x', 'y']]);
    }
    const [file] = parsePatch(['--- a/x', '+++ b/x', ' a', '-b', '+c', '--- a/y', '+++ b/y', '-d', '+e'].join('\n'));
    assert.ok(file?.kind === 'modify');
    assert.deepEqual(applyHunks('a\nb\n', file.hunks), { text: 'a\nc\n' });
  });
});
