import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

describe('the sample workspace', () => {
  it('has tests that a Node without TypeScript finds and runs, of which one fails', () => {
    const args = ['--no-experimental-strip-types', '--test', '--test-reporter', 'tap'];
    const { stdout } = spawnSync(process.execPath, args, {
      cwd: 'resources/sample-workspace',
      // Without this, a nested test run reports to the outer run.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      encoding: 'utf8',
    });
    const counts = stdout.match(/^# (?:tests|pass|fail) \d+$/gm);
    assert.deepEqual(counts, ['# tests 3', '# pass 2', '# fail 1']);
  });
});
