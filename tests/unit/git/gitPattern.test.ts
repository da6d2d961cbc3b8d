import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RuleList } from '../../../src/services/git/ruleList';

/** Patterns that end with spaces or backslashes, each with the names that it ignores. */
const ends: Readonly<Record<string, readonly string[]>> = {
  'a ': ['a'],
  'a\\ ': ['a '],
  'a\\\\ ': ['a\\'],
  'a\\\\': ['a\\'],
  'a\\\\\\ ': ['a\\ '],
  'a\\\\\\ \\\\  ': ['a\\ \\'],
  'a\\ \\ ': ['a  '],
  'a\\  ': ['a '],
  'a\\': [],
  'a \\': [],
  'a\t': ['a\t'],
  ' ': [],
  '\\ ': [' '],
};
const names = ['a', 'a ', 'a  ', 'a\\', 'a\\ ', 'a\\ \\', 'a\\\\', 'a\t', ' '];

describe('a line of a .gitignore that ends with blanks and backslashes', () => {
  it('ignores what git says', () => {
    for (const [pattern, ignored] of Object.entries(ends)) {
      const rules = new RuleList(pattern, false);
      assert.deepEqual(
        names.filter((name) => rules.decide(name, name, false) === true),
        ignored,
        JSON.stringify(pattern),
      );
    }
  });

  // On Windows, backslashes separate folders, and names cannot end with a space.
  if (process.platform !== 'win32')
    it('is what git says', () => {
      const root = mkdtempSync(path.join(tmpdir(), 'pattern-'));
      const env = { ...process.env, HOME: root, XDG_CONFIG_HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
      try {
        execFileSync('git', ['init', '-q'], { cwd: root, env });
        const patterns = Object.keys(ends);
        for (const [at, pattern] of patterns.entries()) {
          mkdirSync(path.join(root, `p${at}`));
          writeFileSync(path.join(root, `p${at}`, '.gitignore'), `${pattern}\n`);
        }
        const input = patterns.flatMap((_, at) => names.map((name) => `p${at}/${name}\0`)).join('');
        const said = execFileSync('git', ['check-ignore', '-z', '--stdin'], { cwd: root, env, input, encoding: 'utf8' });
        const expected = patterns.flatMap((pattern, at) => (ends[pattern] ?? []).map((name) => `p${at}/${name}`));
        assert.deepEqual(said.split('\0').slice(0, -1), expected);
      } finally {
        rmSync(root, { recursive: true });
      }
    });
});
