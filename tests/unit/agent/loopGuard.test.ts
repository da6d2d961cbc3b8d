import assert from 'node:assert/strict';
import { LoopGuard } from '../../../src/agent/loopGuard';
import { titleOf } from '../../../src/agent/sessionTitle';

describe('loop guard', () => {
  const observe = (guard: LoopGuard, input: Record<string, unknown>, result = 'same') =>
    guard.observe({ name: 'read_file', input }, result);

  it('nudges once, at the third, and stops at the fifth identical call', () => {
    const guard = new LoopGuard();
    const verdicts = Array.from({ length: 5 }, (_, index) => observe(guard, index % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 }));
    assert.deepEqual(verdicts, ['go on', 'go on', 'nudge', 'go on', 'stop']);
  });

  it('lets calls be repeated while their results change', () => {
    const guard = new LoopGuard();
    const verdicts = Array.from({ length: 9 }, (_, index) => observe(guard, {}, String(index)));
    assert.deepEqual(new Set(verdicts), new Set(['go on']));
  });

  for (const round of ['ab', 'abc', 'abcdef']) {
    it(`nudges once and then stops where ${round.length} calls are made in turn`, () => {
      const guard = new LoopGuard();
      const verdicts = [...'x', ...round.repeat(4)].map((path) => observe(guard, { path }));
      const [nudge, stop] = [round.length * 3, round.length * 4];
      const expected = verdicts.map((_, at) => (at === nudge ? 'nudge' : at === stop ? 'stop' : 'go on'));
      assert.deepEqual(verdicts, expected);
      assert.deepEqual([guard.round, guard.repetitions], [round.length, 4]);
    });
  }

  it('takes calls whose order changes for work', () => {
    const guard = new LoopGuard();
    for (const path of 'abacbcabcbacab') assert.equal(observe(guard, { path }), 'go on');
  });

  it('begins anew after another call', () => {
    const guard = new LoopGuard();
    for (const path of ['a', 'a', 'b', 'a', 'a']) assert.equal(observe(guard, { path }), 'go on');
  });
});

describe('session title', () => {
  const cases: [string, string][] = [
    ['Fix the bug', 'Fix the bug'],
    ['  Fix\n\tthe   bug  ', 'Fix the bug'],
    ['', 'New chat'],
    [
      'Explain how the parser deals with nested quotes and escapes in strings',
      'Explain how the parser deals with nested quotes and escapes…',
    ],
    ['x'.repeat(100), `${'x'.repeat(59)}…`],
    ['🥛'.repeat(61), `${'🥛'.repeat(59)}…`],
  ];
  for (const [text, title] of cases) {
    it(`of ${JSON.stringify(text.slice(0, 20))} is ${JSON.stringify(title.slice(0, 20))}`, () =>
      assert.equal(titleOf(text), title));
  }
});
