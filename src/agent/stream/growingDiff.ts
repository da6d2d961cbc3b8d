/** Maximum number of different lines to find. Further lines count as new. */
const maxChanges = 400;

/**
 * Compares a text that is still being written with the previous text. Returns the lines of both up to the
 * last written line, each with the prefix space, `-` or `+`. Expects later lines to remain unchanged.
 */
export function growingDiff(before: readonly string[], written: readonly string[]): string[] {
  const n = before.length;
  const m = written.length;
  /** Furthest line of `before` for each number of changes, by diagonal (`k + d`). -1 means unreachable. */
  const trace: Int32Array[] = [];
  for (let d = 0; ; d += 1) {
    const reach = new Int32Array(2 * d + 1).fill(-1);
    trace.push(reach);
    let bestK = 0;
    let bestY = -1;
    for (let k = d; k >= -d; k -= 2) {
      let x = d === 0 ? 0 : cameFrom(trace, d, k, n).x;
      if (x < 0) continue;
      while (x < n && x - k < m && before[x] === written[x - k]) x += 1;
      reach[k + d] = x;
      if (x - k > bestY) {
        bestK = k;
        bestY = x - k;
      }
      if (x - k === m) return traceBack(trace, before, written, k);
    }
    if (d === maxChanges) return [...traceBack(trace, before, written, bestK), ...written.slice(bestY).map((line) => `+${line}`)];
  }
}

/** Returns the step that reaches diagonal `k` with `d` changes, and its line in `before`, or -1 if there is none. */
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

/** Moves the removed lines of each change before the added lines, as is usual in diffs. */
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
