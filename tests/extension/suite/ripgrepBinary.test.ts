import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import { Ripgrep } from '../../../src/services/search/ripgrep';
import { RipgrepBinary } from '../../../src/vscode/workspace/ripgrepBinary';
import { ignoredContract } from '../../unit/search/support/ignoredContract';
import { textSearchContract } from '../../unit/search/support/searchContract';

const locate = (): Promise<string | undefined> => new RipgrepBinary(() => []).locate();

describe('ripgrep', () => {
  it('is the one that the editor brings along, and works', async () => {
    const file = await locate();
    assert.ok(file !== undefined && file.startsWith(vscode.env.appRoot), file);
    assert.match(execFileSync(file, ['--version'], { encoding: 'utf8' }), /^ripgrep /);
  });
});

ignoredContract('ripgrep', async (folder) => {
  const ripgrep = new Ripgrep((await locate()) ?? '');
  const { matches } = await ripgrep.search({ folder, text: 'needle', isRegex: false }, new AbortController().signal);
  return matches.map((match) => match.path);
});

textSearchContract('ripgrep', async () => new Ripgrep((await locate()) ?? ''));
