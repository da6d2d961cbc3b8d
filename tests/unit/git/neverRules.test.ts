import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NeverRules, neverFiles } from '../../../src/services/git/neverRules';

describe('Files that no model may see', () => {
  let root: string;
  const write = (name: string, text: string | Buffer): void => writeFileSync(path.join(root, name), text);
  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-never-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are none without rules, or where the workspace folder is a file', () => {
    write('.ollamacopilotignore', '# nothing yet\n\n');
    assert.equal(NeverRules.of(root), null);
    assert.equal(NeverRules.of(path.join(root, '.ollamacopilotignore')), null);
  });

  it('are those that any of the rule files names, with all that is in a named folder', () => {
    for (const [index, name] of neverFiles.entries()) write(name, `file${index}.txt\nfolder${index}/\n`);
    const rules = NeverRules.of(root);
    for (const index of neverFiles.keys()) {
      assert.equal(rules?.isClosed(`a/file${index}.txt`, false), true);
      assert.equal(rules?.isClosed(`folder${index}`, true), true);
      assert.equal(rules?.isClosed(`folder${index}`, false), false);
      assert.equal(rules?.isClosed(`folder${index}/deep/a.ts`, false), true);
    }
    assert.equal(rules?.isClosed('a/other.txt', false), false);
    assert.equal(rules?.isClosed('', true), false);
  });

  it('are all files where a rule file cannot be read', () => {
    mkdirSync(path.join(root, '.aiignore'));
    const rules = NeverRules.of(root);
    assert.equal(rules?.isClosed('a.ts', false), true);
    assert.equal(rules?.isClosed('', true), false);
  });

  it('are all files where a rule file is longer than one MB', () => {
    write('.aiexclude', '#'.repeat(1024 * 1024 - 6) + '\na.ts\n');
    assert.equal(NeverRules.of(root)?.isClosed('b.ts', false), false);
    write('.aiexclude', '#'.repeat(1024 * 1024 - 5) + '\na.ts\n');
    assert.equal(NeverRules.of(root)?.isClosed('b.ts', false), true);
  });

  const rules = 'secret.txt\r\nbuild/\r\n';
  const forms: [string, Buffer | string][] = [
    ['UTF-8 with a byte order mark', `\uFEFF${rules}`],
    ['UTF-8 with two byte order marks', `\uFEFF\uFEFF${rules}`],
    ['little-endian UTF-16', Buffer.from(`\uFEFF${rules}`, 'utf16le')],
    ['big-endian UTF-16', Buffer.from(`\uFEFF${rules}`, 'utf16le').swap16()],
    ['two files with marks, joined', '\uFEFF# one\n\uFEFFsecret.txt\n\uFEFFbuild/\n'],
    ['line ends of old Macs', 'secret.txt\rbuild/\r'],
  ];
  for (const [form, bytes] of forms) {
    it(`are those that rules in ${form} name`, () => {
      write('.ollamacopilotignore', bytes);
      const read = NeverRules.of(root);
      assert.deepEqual(
        [read?.isClosed('secret.txt', false), read?.isClosed('build/a.js', false), read?.isClosed('a.ts', false)],
        [true, true, false],
      );
    });
  }

  it('may be opened again by a rule with `!` behind a byte order mark', () => {
    write('.aiexclude', '\uFEFF!a.ts\n*.ts\n!b.ts\n');
    const read = NeverRules.of(root);
    assert.deepEqual(
      ['a.ts', 'b.ts', 'c.ts'].map((name) => read?.isClosed(name, false)),
      [true, false, true],
    );
  });

  it('may have names that end with a space or a backslash', () => {
    write('.aiexclude', '\uFEFFpadded\\ \r\nplain  \r\nslash\\\\\r\n');
    const read = NeverRules.of(root);
    assert.deepEqual(
      ['padded ', 'padded', 'plain', 'slash\\'].map((name) => read?.isClosed(name, false)),
      [true, false, true, true],
    );
  });

  it('are none where the rules are only a byte order mark', () => {
    write('.aiexclude', '\uFEFF');
    assert.equal(NeverRules.of(root), null);
  });

  const unreadable: [string, (file: string) => void, RegExp][] = [
    [
      'UTF-8 with a broken byte',
      (file) => writeFileSync(file, Buffer.from('gr\u00fcn.txt\n', 'latin1')),
      /ignore is not encoded in UTF-8 or UTF-16, so the whole folder is blocked/,
    ],
    [
      'UTF-16 without a mark',
      (file) => writeFileSync(file, Buffer.from('a.txt\n', 'utf16le')),
      /ignore is not encoded in UTF-8 or UTF-16, so the whole folder is blocked/,
    ],
    [
      'zero bytes',
      (file) => writeFileSync(file, 'a.txt\n\0\0'),
      /ignore is not encoded in UTF-8 or UTF-16, so the whole folder is blocked/,
    ],
    [
      'more than one MB',
      (file) => writeFileSync(file, '#'.repeat(1024 * 1024 + 1)),
      /ignore is larger than 1 MB, so the whole folder is blocked/,
    ],
    ['a folder in its place', (file) => mkdirSync(file), /ignore is not a file, so the whole folder is blocked/],
  ];
  for (const [what, put, why] of unreadable) {
    it(`are all files where the rules are unreadable (${what}), and the reason is given`, () => {
      put(path.join(root, '.ollamacopilotignore'));
      const read = NeverRules.of(root);
      assert.equal(read?.isClosed('any.ts', false), true);
      assert.match(read?.problem?.english ?? '', why);
    });
  }

  it('are all files where the rules are a link to nothing', () => {
    symlinkSync(path.join(root, 'gone'), path.join(root, '.aiignore'));
    assert.equal(NeverRules.of(root)?.isClosed('a.ts', false), true);
  });
});
