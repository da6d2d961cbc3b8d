/** Number of lines to include after a failure, maximum number of failure lines, and number of lines to include from the end. */
const linesAfter = 12;
const maxFailureLines = 120;
const endLines = 20;

/**
 * Matches lines that report a failed test in TAP, node, mocha, vitest,
 * jest, pytest, unittest, go, cargo, maven, gradle and dotnet.
 */
const failure =
  /^\s*(?:not ok \d+|[✖✗×✕❯]\s|\d+\) \S|FAIL(?:ED)?[ :!]|FAIL$|--- FAIL|---- .* stdout ----|ERROR: |FAIL: |E {3,}|_{3,} .* _{3,}|\[ERROR\] |.* > .* FAILED$|Failed \S|.*\bpanicked at\b|thread '.*' panicked)/;
const passed = /^\s*(?:# Subtest|ok \d+|✔|✓|√|--- PASS|PASS|test .* \.\.\. ok|\[INFO\]|=== RUN)/;

export interface TestReport {
  /** Failures, followed by the end of the output. */
  text: string;
  /** Number of omitted failure lines. */
  leftOut: number;
}

/** Moves failures to the top, so that the model reads them first. Passing tests never displace failures. */
export function failuresFirst(output: string): TestReport {
  const lines = output.split('\n');
  const failureLines = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (!failure.test(line)) continue;
    for (let at = index; at <= Math.min(lines.length - 1, index + linesAfter); at += 1) {
      const next = lines[at] ?? '';
      if (at > index && (passed.test(next) || failure.test(next))) break;
      failureLines.add(at);
    }
  }
  const end = Math.max(0, lines.length - endLines);
  const failed = [...failureLines].sort((one, other) => one - other).filter((index) => index < end);
  const kept = failed.slice(0, maxFailureLines);
  const leftOut = failed.length - kept.length;
  const told = kept.map((index, place) => {
    const isApart = place > 0 && kept[place - 1] !== index - 1;
    return (isApart ? '…\n' : '') + (lines[index] ?? '');
  });
  const last = lines.slice(end).join('\n').trim();
  if (told.length === 0) return { text: last, leftOut };
  const more = leftOut > 0 ? [`[${leftOut} lines of failures left out]`] : [];
  return { text: ['Failures:', ...told, ...more, '', 'End of the output:', last].join('\n'), leftOut };
}
