import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NeverRules, neverFiles } from '../../../src/services/git/neverRules';

describe('Files that no model may see', () => {
  let root: string;
  const write = (name: string, text: string): void => writeFileSync(path.join(root, name), text);
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
});
