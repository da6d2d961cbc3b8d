import assert from 'node:assert/strict';
import { ChangeReader } from '../../../src/services/checkpoint/engine/manifests/changeDetails';
import type { FileState } from '../../../src/services/checkpoint/engine/scan/scannedFile';

const holding = (content: string): FileState => ({ kind: 1, mode: 0o644, hash: content, size: content.length, flags: 0 });
const closed: FileState = { kind: 3, mode: 0o644, hash: null, size: 0, flags: 0 };

describe('What is told of a change', () => {
  it('of a file that could not be read is neither that it is binary or too large, nor lines of another one', () => {
    const reader = new ChangeReader((hash) => Buffer.from(hash));
    const told = (before: FileState | null, after: FileState | null) => {
      const [details] = reader.describeChanges([{ path: 'file', before, after }], false);
      return [details?.lines ?? null, details?.isBinary, details?.isTooLarge];
    };
    const one = holding('one\n');
    const two = holding('one\ntwo\n');
    assert.deepEqual(told(null, two), [{ additions: 2, deletions: 0 }, false, false]);
    assert.deepEqual(told(one, null), [{ additions: 0, deletions: 1 }, false, false]);
    for (const [before, after] of [
      [closed, two],
      [one, closed],
      [null, closed],
      [closed, null],
    ] as const)
      assert.deepEqual(told(before, after), [null, false, false]);
    assert.deepEqual(told(one, holding('\0')), [null, true, false]);
  });
});
