import assert from 'node:assert/strict';
import path from 'node:path';
import { SessionUpdates } from '../../../src/serve/acp/sessionUpdates';

const project = path.resolve('/work/project');

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
  const { content } = new SessionUpdates(project).approval({ ...about, severity: 'low', reasons: [], diff });
  return content.slice(2);
}

const one = '--- a/one.sh\n+++ b/one.sh\n@@ -1 +1 @@\n-echo one\n+echo evil\n';
const two = '--- a/lib/two.sh\n+++ b/lib/two.sh\n@@ -1 +1 @@\n-echo two\n+echo worse\n';

describe('the changes that a command has to be allowed again for, in the Agent Client Protocol', () => {
  const first = { type: 'diff', path: path.join(project, 'one.sh'), oldText: 'echo one\n', newText: 'echo evil\n' };
  const second = { type: 'diff', path: path.join(project, 'lib', 'two.sh'), oldText: 'echo two\n', newText: 'echo worse\n' };

  it('have the name of the file in the diff, as a command has no path', () => {
    assert.deepEqual(changesOf(one), [first]);
  });

  it('are shown file by file', () => {
    assert.deepEqual(changesOf(one + two), [first, second]);
  });

  it('keep the end of the last line as it is on each side', () => {
    const unended = '--- a/one.sh\n+++ b/one.sh\n@@ -1 +1 @@\n-echo one\n\\ No newline at end of file\n+echo evil\n';
    assert.deepEqual(changesOf(unended), [{ ...first, oldText: 'echo one' }]);
    const same = '--- a/one.sh\n+++ b/one.sh\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n';
    assert.deepEqual(changesOf(same), [{ ...first, oldText: 'a\nc', newText: 'b\nc' }]);
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

describe('the words of the model, in the Agent Client Protocol', () => {
  const shown = (events: readonly Record<string, unknown>[]) => {
    const updates = new SessionUpdates(project);
    return events
      .flatMap((event) => updates.of({ type: 'chat', dialog_id: 'd', ...event }, false))
      .map((update) =>
        'content' in update && !Array.isArray(update.content) && update.content?.type === 'text' ? update.content.text : '|',
      )
      .join('');
  };

  it('have a paragraph break between two answers in a row', () => {
    const answers = [
      { content: 'I have ', idx: 1, is_partial: true },
      { content: 'created it.', idx: 1, offset: 7, end: 'complete' },
      { content: 'Now ', idx: 2, is_partial: true },
      { content: 'it is there.', idx: 2, offset: 4 },
      { content: '', idx: 2, end: 'complete' },
    ];
    assert.equal(shown(answers), 'I have created it.\n\nNow it is there.');
  });

  it('have none where an answer was cut and goes on, nor after a call', () => {
    const call = { type: 'tool_call', id: 'c', name: 'read_file', args: {}, status: 'running' };
    const answers = [
      { content: 'Half of', end: 'length' },
      { content: ' it.', end: 'complete' },
      call,
      { content: 'Done.', end: 'complete' },
    ];
    assert.equal(shown(answers), 'Half of it.|Done.');
  });
});
