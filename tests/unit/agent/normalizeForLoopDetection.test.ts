import assert from 'node:assert/strict';
import { LoopGuard, type LoopVerdict } from '../../../src/agent/loop/loopGuard';
import { nudged } from '../../../src/agent/loop/modelAdvice';
import { normalizeForLoopDetection } from '../../../src/agent/loop/normalizeForLoopDetection';
import { Seeded } from '../checkpoint/support/seeded';

/** Program outputs for the same state at two different times. */
const alike: [what: string, once: string, again: string][] = [
  ['mocha', '  3 passing (41ms)\n  1 failing\n', '  3 passing (1s)\n  1 failing\n'],
  [
    'vitest',
    ' Tests  4 passed (4)\n   Start at  09:41:07\n   Duration  1.24s (transform 61ms, setup 0ms)',
    ' Tests  4 passed (4)\n   Start at  23:02:55\n   Duration  988ms (transform 58ms, setup 12ms)',
  ],
  [
    'jest',
    'Tests:       1 failed, 4 passed, 5 total\nTime:        0.742 s, estimated 1 s',
    'Tests:       1 failed, 4 passed, 5 total\nTime:        1.1 s, estimated 2 s',
  ],
  [
    'pytest',
    '=== 1 failed, 2 passed in 0.05s ===\n/tmp/pytest-of-me/pytest-3/test_a0/x.txt',
    '=== 1 failed, 2 passed in 61.20s ===\n/tmp/pytest-of-me/pytest-4/test_a0/x.txt',
  ],
  ['go test', '--- FAIL: TestX (0.00s)\nFAIL\tproject/a\t0.003s', '--- FAIL: TestX (0.02s)\nFAIL\tproject/a\t0.114s'],
  [
    'cargo',
    '    Finished `dev` profile in 2m 03s\ntest result: ok. 3 passed; finished in 0.00s',
    '    Finished `dev` profile in 4.51s\ntest result: ok. 3 passed; finished in 0.11s',
  ],
  ['a log with dates', '[2026-01-31T09:41:07.123Z] INFO ready', '[2026-02-01T10:00:00Z] INFO ready'],
  [
    'maven',
    'Total time:  3.2 s\nFinished at: 2026-01-31T09:41:07+01:00',
    'Total time:  12 s\nFinished at: 2026-01-31T09:42:00+01:00',
  ],
  ['date', 'Sat Jan 31 09:41:07 UTC 2026', 'Sun Feb  1 10:00:00 UTC 2026'],
  ['an HTTP date', 'Date: Sat, 31 Jan 2026 09:41:07 GMT', 'Date: Sun, 01 Feb 2026 10:00:01 GMT'],
  ['12-hour clocks', 'build began 9:41:07 AM', 'build began 11:00:12 PM'],
  ['processes', 'listening, pid 4711 (node:4711) Warning', 'listening, pid 80 (node:80) Warning'],
  ['valgrind', '==123== Invalid read at 0x7ffd12345678', '==99== Invalid read at 0x7ffe9abcdef0'],
  ['temporary folders', 'Error: ENOENT /tmp/run-Xa81/src/a.ts', 'Error: ENOENT /tmp/run-0bQz/src/a.ts'],
  ['temporary folders of macOS', "at '/private/var/folders/x1/ab_c/T/run-1/a'", "at '/private/var/folders/x1/ab_c/T/run-22/a'"],
  [
    'temporary folders of Windows',
    'C:\\Users\\me\\AppData\\Local\\Temp\\a1\\log.txt',
    'C:\\Users\\me\\AppData\\Local\\Temp\\b2\\log.txt',
  ],
  ['ports that the system gives', 'connect ECONNREFUSED 127.0.0.1:41233', 'connect ECONNREFUSED 127.0.0.1:55872'],
];

/** Program outputs with a relevant difference. */
const different: [what: string, once: string, again: string][] = [
  ['fewer failures', '2 failing (40ms)', '1 failing (40ms)'],
  ['another line', 'src/a.ts:12:05 - error TS2304', 'src/a.ts:12:15 - error TS2304'],
  ['another position, as linters write it', '  12:34  error  no-undef', '  12:38  error  no-undef'],
  ['three numbers after a name', 'a.c:10:20:30', 'a.c:10:20:31'],
  ['another error', 'HRESULT 0x80070005', 'HRESULT 0x80070002'],
  ['progress', 'downloaded 40%', 'downloaded 41%'],
  ['steps', 'step 3 of 10', 'step 4 of 10'],
  ['a size', 'bundle 120 kB', 'bundle 121 kB'],
  ['a version', 'v1.2.3', 'v1.2.4'],
  ['an exit code', 'Exit code: 1', 'Exit code: 2'],
  ['more output', 'tick 1s', 'tick 1s\ntick 2s'],
  ['another file in a temporary folder', '/tmp/run-1/a.ts failed', '/tmp/run-1/b.ts failed'],
  ['a port of one’s own', 'localhost:3000', 'localhost:3001'],
  ['a process that is counted', 'process 5 of 9', 'process 6 of 9'],
  ['words', 'starting', 'started'],
];

describe('the steady part of a result', () => {
  for (const [what, once, again] of alike)
    it(`is the same for ${what}`, () => assert.equal(normalizeForLoopDetection(once), normalizeForLoopDetection(again)));

  for (const [what, once, again] of different)
    it(`is not for ${what}`, () => assert.notEqual(normalizeForLoopDetection(once), normalizeForLoopDetection(again)));

  it('has nothing of the times, dates and places that any mixture of them shows, and all of the rest', () => {
    const random = new Seeded(7);
    const two = (limit: number) => String(random.below(limit)).padStart(2, '0');
    const clock = () => `${two(24)}:${two(60)}:${two(60)}`;
    const varying: (() => string)[] = [
      () => `${random.below(9000)} ms`,
      () => `${random.below(90)}.${random.below(1000)}s`,
      () => `${1 + random.below(9)}m ${random.below(60)}s`,
      clock,
      () => `20${two(100)}-0${1 + random.below(9)}-1${random.below(9)}T${clock()}Z`,
      () => `pid ${random.below(99_999)}`,
      () => `0x7f${(random.below(0xffff) + 0x1_0000).toString(16)}${(random.below(0xffff) + 0x1_0000).toString(16)}`,
      () => `/tmp/t-${random.below(0xffffff).toString(36)}/a.ts`,
    ];
    const fixed: (() => string)[] = [
      () => `${random.below(50)} passed`,
      () => `src/${random.pick(['a', 'b'])}.ts:${1 + random.below(300)}:${1 + random.below(80)}`,
      () => `${random.below(101)}%`,
      () => `Exit code: ${random.below(130)}`,
      () => random.pick(['ok', 'FAILED', 'error', 'compiling']),
    ];
    for (let round = 0; round < 300; round += 1) {
      const parts = Array.from({ length: 1 + random.below(8) }, () =>
        random.chance(50) ? { write: random.pick(varying), said: null } : { write: null, said: random.pick(fixed)() },
      );
      const write = (changed = -1) =>
        parts.map(({ write: vary, said }, at) => `[${vary?.() ?? said ?? ''}${at === changed ? ' more' : ''}]`).join('\n');
      const once = write();
      const again = write();
      assert.equal(normalizeForLoopDetection(once), normalizeForLoopDetection(again), `${once}\n---\n${again}`);
      assert.notEqual(normalizeForLoopDetection(once), normalizeForLoopDetection(write(random.below(parts.length))));
      for (const { said } of parts) if (said !== null) assert.ok(normalizeForLoopDetection(once).includes(`[${said}]`), said);
    }
  });
});

describe('loop guard, where results vary by themselves', () => {
  const run = (name: string, results: readonly string[]): LoopVerdict[] => {
    const guard = new LoopGuard();
    return results.map((result) => {
      guard.answered();
      return guard.observe({ name, input: { command: 'npm test' } }, result, { isPolling: name === 'get_terminal_output' });
    });
  };
  const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

  it('nudges at the fifth and stops at the twentieth test run that differs in its times alone', () => {
    const verdicts = run(
      'run_terminal_command',
      times(20, (at) => `3 passing (${at * 7 + 1}ms)\n1 failing`),
    );
    assert.deepEqual([verdicts.indexOf('nudge'), verdicts.lastIndexOf('nudge'), verdicts.indexOf('stop')], [4, 4, 19]);
  });

  it('says truly what repeats itself', () => {
    const said = (results: string[]): string => {
      const guard = new LoopGuard();
      for (const result of results) guard.observe({ name: 'run', input: {} }, result);
      return nudged({ status: 'success', content: '' }, guard).content;
    };
    assert.match(said(['a', 'a', 'a']), /call number 3 .* the same result\. Do not/);
    assert.match(said(times(5, (at) => `${at} ms`)), /call number 5 .* differ in times alone\. If nobody asked/);
  });

  it('stops a round of them at the twelfth time', () => {
    const guard = new LoopGuard();
    const verdicts = times(24, (at) => {
      guard.answered();
      return guard.observe({ name: 'run', input: { at: at % 2 } }, `done in ${at}.5s`);
    });
    assert.deepEqual([verdicts.indexOf('nudge'), verdicts.indexOf('stop')], [9, 23]);
  });

  it('goes on while tests get better, output grows or a share rises', () => {
    const growing = times(20, (at) => times(at + 1, (line) => `line ${line}`).join('\n'));
    for (const results of [
      times(20, (at) => `${20 - at} failing (${at}s)`),
      growing,
      times(20, (at) => `${at * 5}% in ${at} s`),
    ]) {
      assert.deepEqual(new Set(run('run_terminal_command', results)), new Set(['go on']));
      assert.deepEqual(new Set(run('get_terminal_output', results)), new Set(['go on']));
    }
  });

  it('lets a silent command in the background be waited for, but not once it has ended', () => {
    const waiting = times(30, (at) => `terminal-1 is running, for ${at * 5} s so far. Output so far:\n(no output)`);
    assert.deepEqual(new Set(run('get_terminal_output', waiting)), new Set(['go on']));
    const over = times(5, () => 'terminal-1 has ended after 90 s. Exit code: 0\n(no output)');
    assert.deepEqual(run('get_terminal_output', over), ['go on', 'go on', 'nudge', 'go on', 'stop']);
  });
});
