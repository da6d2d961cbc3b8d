import assert from 'node:assert/strict';
import { SessionUpdates } from '../../../src/serve/acp/sessionUpdates';

const about = {
  type: 'approval',
  call_id: 'c',
  approval: 'a',
  dialog_id: 'd',
  phase: 'requested',
  kind: 'command',
  command: 'npm test',
  cwd: '.',
};

function changesOf(diff: string) {
  const { content } = new SessionUpdates('/work/project').approval({ ...about, severity: 'low', reasons: [], diff });
  return content.slice(2);
}

const one = '--- a/one.sh\n+++ b/one.sh\n@@ -1 +1 @@\n-echo one\n+echo evil\n';
const two = '--- a/lib/two.sh\n+++ b/lib/two.sh\n@@ -1 +1 @@\n-echo two\n+echo worse\n';

describe('the changes that a command has to be allowed again for, in the Agent Client Protocol', () => {
  const first = { type: 'diff', path: '/work/project/one.sh', oldText: 'echo one', newText: 'echo evil' };
  const second = { type: 'diff', path: '/work/project/lib/two.sh', oldText: 'echo two', newText: 'echo worse' };

  it('have the name of the file in the diff, as a command has no path', () => {
    assert.deepEqual(changesOf(one), [first]);
  });

  it('are shown file by file', () => {
    assert.deepEqual(changesOf(one + two), [first, second]);
  });

  it('are shown as text where no file is named', () => {
    const text = 'Changes:\n```\n@@ -1 +1 @@\n-echo one\n+echo evil\n```';
    assert.deepEqual(changesOf('@@ -1 +1 @@\n-echo one\n+echo evil\n'), [{ type: 'content', content: { type: 'text', text } }]);
  });

  it('begin a new file behind a hunk that was cut', () => {
    const cut = '--- a/one.sh\n+++ b/one.sh\n@@ -1,9 +1,9 @@\n-echo one\n+echo evil\n\\ 16 more lines\n';
    const note = { type: 'content', content: { type: 'text', text: '16 more lines' } };
    assert.deepEqual(changesOf(cut + two), [first, note, second]);
  });
});
