import { editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import type { ComparedWorkspace } from '../../../src/services/checkpoint/host/restores';
import { ChangeReview } from '../../../src/vscode/review/changeReview';
import { SnapshotDocuments } from '../../../src/vscode/review/snapshotDocuments';

describe('the workspace compared with a checkpoint', () => {
  const review = new ChangeReview(new SnapshotDocuments(() => undefined));
  const made = { root: '/w', path: 'a.txt', file: '/w/a.txt', shown: 'a.txt', status: 'added', before: null, after: null };
  const compare = async (changes: object[], count: number, unstableCount: number): Promise<unknown> => {
    await review.compareAll({ title: 'One', changes, leftOut: { count, unstableCount } } as ComparedWorkspace);
    const { name, args } = editorCalls.at(-1) ?? { name: '', args: [] };
    return name === 'executeCommand' ? args[1] : args[0];
  };
  beforeEach(() => (editorCalls.length = 0));

  it('that is as it was then says what of that is not known, and why', async () => {
    const all = 'No files have changed since this checkpoint.';
    const held = 'No files in the checkpoint have changed since then. Files not in the checkpoint:';
    const unstable = 'Files that changed while the checkpoint was created:';
    assert.equal(await compare([], 0, 0), all);
    assert.equal(await compare([], 2, 0), `${held} 2.`);
    assert.equal(await compare([], 1, 1), `${all} ${unstable} 1.`);
    assert.equal(await compare([], 1200, 200), `${held} 1,000. ${unstable} 200.`);
  });

  it('shows a changed file under its own path on both sides, so that the editor does not call it renamed', async () => {
    const changed = { ...made, status: 'modified', before: { hash: 'h1' }, after: { hash: 'h2' } };
    const added = { ...made, path: 'b.txt', file: '/w/b.txt', shown: 'b.txt', after: { hash: 'h3' } };
    await review.compareAll({ title: 'One', changes: [changed, added], leftOut: { count: 0, unstableCount: 0 } } as never);
    const resources = editorCalls.at(-1)?.args[2] as ({ path: string; query?: string; scheme: string } | undefined)[][];
    assert.deepEqual(
      resources.map((sides) => sides.map((side) => side && `${side.scheme}:${side.path}`)),
      [
        ['file:/w/a.txt', 'ollama-copilot-snapshot:/w/a.txt', 'file:/w/a.txt'],
        ['file:/w/b.txt', undefined, 'file:/w/b.txt'],
      ],
    );
  });

  it('has that in its title too', async () => {
    const unstable = 'files that changed while the checkpoint was being created:';
    assert.equal(await compare([made], 0, 0), 'One ↔ now');
    assert.equal(await compare([made], 2, 0), 'One ↔ now, files not in the checkpoint: 2');
    assert.equal(await compare([made], 1, 1), `One ↔ now, ${unstable} 1`);
    assert.equal(await compare([made], 3, 1), `One ↔ now, files not in the checkpoint: 2, ${unstable} 1`);
  });
});
