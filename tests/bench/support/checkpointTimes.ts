import { SnapshotTaker } from '../../../src/services/checkpoint/engine/manifests/snapshotTaker';

type Take = SnapshotTaker['take'];

/**
 * Measures a piece of work and each checkpoint in it, in milliseconds. A
 * checkpoint's time excludes its transaction, in which a restore is planned.
 */
export function timedWithCheckpoints(work: () => unknown): { ms: number; checkpoints: number[] } {
  const checkpoints: number[] = [];
  const original = Reflect.get(SnapshotTaker.prototype, 'take');
  const timedTake: Take = function (this: SnapshotTaker, workspace, isCancelled, commit, options) {
    let inside = 0;
    const start = performance.now();
    const result = original.call(
      this,
      workspace,
      isCancelled,
      (snapshot) => {
        const begun = performance.now();
        const value = commit(snapshot);
        inside = performance.now() - begun;
        return value;
      },
      options,
    );
    checkpoints.push(performance.now() - start - inside);
    return result as ReturnType<typeof commit>;
  };
  SnapshotTaker.prototype.take = timedTake;
  try {
    const start = performance.now();
    work();
    return { ms: performance.now() - start, checkpoints };
  } finally {
    SnapshotTaker.prototype.take = original;
  }
}
