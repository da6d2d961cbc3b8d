/** Largest number of differing lines that are looked for; lines beyond it count as new. */
const budget = 400;

/**
 * Compares a text that is still being written with the former one: lines of `written` and `before` as far as they go,
 * each with a
 * space, `-` or `+` before it. Everything behind the last written line may stay.
 */
export function growingDiff(before: readonly string[], written: readonly string[]): string[] {
  const [n, m] = [before.length, written.length];
  /** Furthest line of `before` that each number of changes reaches, by diagonal (`k + d`); -1 if there is no way. */
  const trace: Int32Array[] = [];
  for (let d = 0; ; d += 1) {
    const reach = new Int32Array(2 * d + 1).fill(-1);
    trace.push(reach);
    let [bestK, bestY] = [0, -1];
    for (let k = d; k >= -d; k -= 2) {
      let x = d === 0 ? 0 : cameFrom(trace, d, k, n).x;
      if (x < 0) continue;
      while (x < n && x - k < m && before[x] === written[x - k]) x += 1;
      reach[k + d] = x;
      if (x - k > bestY) [bestK, bestY] = [k, x - k];
      if (x - k === m) return traceBack(trace, before, written, k);
    }
    if (d === budget) return [...traceBack(trace, before, written, bestK), ...written.slice(bestY).map((line) => `+${line}`)];
  }
}

/** Returns the step by which the diagonal `k` is reached with `d` changes, and where along `before` it arrives; -1 if there is none. */
function cameFrom(trace: readonly Int32Array[], d: number, k: number, n: number): { isRemoval: boolean; x: number } {
  const last = trace[d - 1] as Int32Array;
  const left = k === -d ? -1 : (last[k - 1 + d - 1] ?? -1);
  const above = k === d ? -1 : (last[k + 1 + d - 1] ?? -1);
  const removed = left >= 0 && left < n ? left + 1 : -1;
  return removed > above ? { isRemoval: true, x: removed } : { isRemoval: false, x: above };
}

function traceBack(trace: readonly Int32Array[], before: readonly string[], written: readonly string[], end: number): string[] {
  const lines: string[] = [];
  let k = end;
  let x = trace.at(-1)?.[k + trace.length - 1] ?? 0;
  const same = (from: number): void => {
    for (; x > from; x -= 1) lines.push(` ${before[x - 1]}`);
  };
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const { isRemoval, x: arrival } = cameFrom(trace, d, k, before.length);
    same(arrival);
    lines.push(isRemoval ? `-${before[arrival - 1]}` : `+${written[arrival - k - 1]}`);
    x = isRemoval ? arrival - 1 : arrival;
    k += isRemoval ? -1 : 1;
  }
  same(0);
  return removedFirst(lines.reverse());
}

/** Puts the removed lines of each change before the added ones, as diffs are read. */
function removedFirst(lines: readonly string[]): string[] {
  const result: string[] = [];
  let added: string[] = [];
  for (const line of lines) {
    if (line[0] === '+') added.push(line);
    else {
      if (line[0] === ' ') {
        result.push(...added);
        added = [];
      }
      result.push(line);
    }
  }
  return [...result, ...added];
}
