import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import { RipgrepBinary } from '../../../src/vscode/ripgrepBinary';

describe('ripgrep', () => {
  it('is the one that the editor brings along, and works', async () => {
    const file = await new RipgrepBinary().locate();
    assert.ok(file !== undefined && file.startsWith(vscode.env.appRoot), file);
    assert.match(execFileSync(file, ['--version'], { encoding: 'utf8' }), /^ripgrep /);
  });
});
