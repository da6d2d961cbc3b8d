import assert from 'node:assert/strict';
import { PairDifferences, type Difference } from '../../../src/services/checkpoint/engine/manifests/pairDifferences';

describe('Differences between pairs of checkpoints', () => {
  let read: string[];
  const pairsOf = (length: number) =>
    new PairDifferences({
      differences: (from, to) => {
        read.push(`${from} ${to}`);
        return Array.from({ length }, (_, index): Difference => [1, `file${index}`, null, null]);
      },
    });
  const at = (manifestId: number, checkpointId = `checkpoint${manifestId}`) => ({ checkpointId, manifestId });
  beforeEach(() => (read = []));

  it('are read once', () => {
    const pairs = pairsOf(2);
    const first = pairs.of(at(1), at(2));
    assert.deepEqual(pairs.of(at(1), at(2)), first);
    pairs.of(at(2), at(3));
    assert.deepEqual(read, ['1 2', '2 3']);
  });

  it('are read again for another checkpoint with the number of a removed manifest', () => {
    const pairs = pairsOf(2);
    pairs.of(at(1), at(2));
    pairs.of(at(1), at(2, 'another'));
    assert.deepEqual(read, ['1 2', '1 2']);
  });

  it('are forgotten if many others were read since', () => {
    const pairs = pairsOf(8_000);
    pairs.of(at(1), at(2));
    pairs.of(at(3), at(4));
    pairs.of(at(1), at(2));
    pairs.of(at(5), at(6));
    pairs.of(at(1), at(2));
    pairs.of(at(3), at(4));
    assert.deepEqual(read, ['1 2', '3 4', '5 6', '3 4']);
  });
});
