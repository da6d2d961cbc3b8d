import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import { Ripgrep } from '../../../src/services/search/ripgrep';
import { RipgrepBinary } from '../../../src/vscode/ripgrepBinary';
import { textSearchContract } from '../../unit/search/support/searchContract';

describe('ripgrep', () => {
  it('is the one that the editor brings along, and works', async () => {
    const file = await new RipgrepBinary().locate();
    assert.ok(file !== undefined && file.startsWith(vscode.env.appRoot), file);
    assert.match(execFileSync(file, ['--version'], { encoding: 'utf8' }), /^ripgrep /);
  });
});

textSearchContract('ripgrep', async () => new Ripgrep((await new RipgrepBinary().locate()) ?? ''));
