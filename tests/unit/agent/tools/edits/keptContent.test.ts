import assert from 'node:assert/strict';
import { applyHunks } from '../../../../../src/agent/tools/edit/patchPlaces';
import { parsePatch } from '../../../../../src/agent/tools/edit/patchText';
import { replaceText } from '../../../../../src/agent/tools/edit/textReplacement';

/** Returns the new text; null if the old text was not found. */
function replaced(text: string, oldText: string, newText: string): string | null {
  const result = replaceText(text, oldText, newText, false);
  return 'text' in result ? result.text : null;
}

describe('healing keeps', () => {
  const kept: [string, string, string, string, string][] = [
    ['LaTeX commands in a file with tabs', 'a\n\tx\n', 'a', '\\title{a}\n\\textbf{b}', '\\title{a}\n\\textbf{b}\n\tx\n'],
    ['a pattern that begins with a tab', 'a\n\tx\n', 'a', '\\t+\\w', '\\t+\\w\n\tx\n'],
    ['two escaped tabs in a file without tabs', 'a\nb\n', 'a', '\\t\\tfoo', '\\t\\tfoo\nb\n'],
    ['a line end in a string with escaped quotes', 'say("hi");\n', 'say(\\"hi\\");', 'say(\\"bye\\n\\");', 'say("bye\\n");\n'],
    ['one level of an escaped line end', 'say("hi");\n', 'say(\\"hi\\");', 'say(\\"bye\\\\n\\");', 'say("bye\\n");\n'],
    ['new quotes beside a corrected dash', 'git --all now\n', 'git —all now', 'git —all “now”', 'git --all “now”\n'],
    ['lines that are joined on purpose', 'f(a,\nb)\n', '\nb)', 'b)', 'f(a,b)\n'],
    ['code fences', 'a\n```js\nb\n```\nc\n', '```js\nb\n```', '```ts\nb\n```', 'a\n```ts\nb\n```\nc\n'],
    ['entities', 'x && y\n', 'x && y', 'x &amp;&amp; z', 'x &amp;&amp; z\n'],
    ['trailing spaces of a line break', 'a  \nb\n', 'a\nb', 'a\nc', 'a  \nc\n'],
    ['a line with three dots', 'a\n...\nb\n', 'a\n...\nb', 'a\n...\nc', 'a\n...\nc\n'],
    ['a byte order mark', '\uFEFFa\nb\n', 'a', 'c', '\uFEFFc\nb\n'],
  ];
  for (const [name, text, oldText, newText, after] of kept) {
    it(name, () => assert.equal(replaced(text, oldText, newText), after));
  }

  it('a tab that a new line writes as \\t in front of a word of the file', () => {
    assert.equal(replaced('a {\n\tcall(b);\n}\n', 'a {', 'a {\n\\tcall(c);'), 'a {\n\tcall(c);\n\tcall(b);\n}\n');
  });

  const lines = 'name: a\nkind: b\nsize: c';
  const others: [string, string, string][] = [
    ['another number', `id: 1\n${lines}\n`, `id: 2\n${lines}`],
    ['another sign', `return a + b;\n${lines}\n`, `return a - b;\n${lines}`],
    ['another short name', `x: 5\n${lines}\n`, `y: 5\n${lines}`],
    ['a word that is elsewhere in the file', `user();\n${lines}\nusers();\n`, `users();\n${lines}`],
  ];
  for (const [name, text, oldText] of others) {
    it(`lines that differ from the requested ones by ${name}`, () => assert.equal(replaced(text, oldText, 'x'), null));
  }

  it('a context line of a patch that begins with a backslash', () => {
    const patch = ['*** Begin Patch', '*** Update File: a', '@@', 'a', '\\begin', '-c', '+d', '*** End Patch'].join('\n');
    const [file] = parsePatch(patch);
    assert.ok(file?.kind === 'modify');
    assert.deepEqual(applyHunks('a\n\\begin\nc\n', file.hunks), { text: 'a\n\\begin\nd\n' });
  });

  it('lines of a new file that begin with asterisks, and removes the pluses beside lines of spaces', () => {
    const added = (...body: string[]) => parsePatch(['*** Begin Patch', '*** Add File: a', ...body, '*** End Patch'].join('\n'));
    assert.deepEqual(added('# a', '*** b ***'), [{ kind: 'create', path: 'a', text: '# a\n*** b ***\n' }]);
    const [file] = added('+a', '  ', '+b');
    assert.ok(file?.kind === 'create');
    assert.deepEqual(
      file.text.split('\n').map((line) => line.trim()),
      ['a', '', 'b', ''],
    );
  });
});
