import assert from 'node:assert/strict';
import { LoopGuard, repeatedIn } from '../../../src/agent/loop/loopGuard';

describe('loop guard', () => {
  /** Observes a call that is alone in its answer. */
  const observe = (guard: LoopGuard, input: Record<string, unknown>, result = 'same') => {
    guard.answered();
    return guard.observe({ name: 'read_file', input }, result);
  };

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
      const nudge = round.length * 3;
      const stop = round.length * 4;
      const expected = verdicts.map((_, at) => (at === nudge ? 'nudge' : at === stop ? 'stop' : 'go on'));
      assert.deepEqual(verdicts, expected);
      assert.deepEqual([guard.round, guard.repetitions], [round.length, 4]);
    });
  }

  it('takes calls whose order changes for work', () => {
    const guard = new LoopGuard();
    for (const path of 'abacbcabcbacab') assert.equal(observe(guard, { path }), 'go on');
  });

  it('stops nobody who could not have heard the nudge yet', () => {
    const guard = new LoopGuard();
    guard.answered();
    const verdicts = Array.from({ length: 9 }, () => guard.observe({ name: 'read_file', input: {} }, 'same'));
    assert.deepEqual([verdicts.indexOf('nudge'), verdicts.lastIndexOf('nudge'), verdicts.indexOf('stop')], [2, 2, -1]);
    guard.answered();
    assert.equal(guard.observe({ name: 'read_file', input: {} }, 'same'), 'stop');
  });

  it('nudges anew, and waits for an answer anew, where something else was done between', () => {
    const guard = new LoopGuard();
    for (let time = 0; time < 4; time += 1) observe(guard, { path: 'a' });
    observe(guard, { path: 'b' });
    const input = { path: 'c' };
    const verdicts = Array.from({ length: 6 }, () => guard.observe({ name: 'read_file', input }, 'same'));
    assert.deepEqual(verdicts, ['go on', 'go on', 'nudge', 'go on', 'go on', 'go on']);
  });

  describe('notices calls that are nearly the same', () => {
    const verdictsOf = (calls: readonly [input: Record<string, unknown>, result: string][]) => {
      const guard = new LoopGuard();
      return calls.map(([input, result]) => {
        guard.answered();
        return guard.observe({ name: 'search_workspace', input }, result, { isReading: true });
      });
    };
    const queries = ['class Parser', 'class  parser', '"class Parser"', 'Class Parser', 'class Parser;', 'class parser {'];

    it('nudges at the fifth and stops at the tenth', () => {
      const calls = Array.from({ length: 10 }, (_unused, at): [Record<string, unknown>, string] => [
        { query: queries[at % queries.length] },
        `No match for it, in ${at + 3} files.`,
      ]);
      const expected = calls.map((_unused, at) => (at === 4 ? 'nudge' : at === 9 ? 'stop' : 'go on'));
      assert.deepEqual(verdictsOf(calls), expected);
    });

    it('sees the same lines of a file that are asked for by other numbers', () => {
      const calls = Array.from({ length: 10 }, (_unused, at): [Record<string, unknown>, string] => [
        { path: 'a.ts', startLine: 1, endLine: 40 + at },
        'alpha',
      ]);
      assert.deepEqual(verdictsOf(calls).slice(-1), ['stop']);
    });

    it('and takes others for work: other words, other files, other parts of a file, other results', () => {
      const works: [Record<string, unknown>, string][][] = [
        ['parser', 'reader', 'writer', 'lexer', 'printer', 'token', 'grammar'].map((query) => [{ query }, 'No match.']),
        ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [{ path: `src/${name}.ts` }, 'The file is empty.']),
        [1, 101, 201, 301, 401, 501].map((startLine) => [
          { path: 'a.ts', startLine },
          `function part${'abcdef'[startLine % 7]}() {}`,
        ]),
        queries.map((query, at) => [{ query }, `found in ${'one two three four five six'.split(' ')[at] ?? ''}.ts`]),
      ];
      for (const calls of works) assert.deepEqual(new Set(verdictsOf(calls)), new Set(['go on']));
    });
  });

  it('lets a result be brought back that was left out to save room, some times', () => {
    const guard = new LoopGuard();
    const call = { name: 'read_file', input: { path: 'a' } };
    const verdicts = Array.from({ length: 12 }, () => {
      guard.allowRefetch(call);
      guard.answered();
      return guard.observe(call, 'same', { isReading: true });
    });
    assert.deepEqual(verdicts.slice(0, 5), Array(5).fill('go on'));
    assert.equal(verdicts.at(-1), 'stop');
  });

  it('begins anew after another call', () => {
    const guard = new LoopGuard();
    for (const path of ['a', 'a', 'b', 'a', 'a']) assert.equal(observe(guard, { path }), 'go on');
  });
});

describe('calls that are repeated in one answer', () => {
  const reads = (name: string) => name === 'read';
  const cases: [what: string, calls: string, repeated: string][] = [
    ['reading twice', 'read a, read a', '1'],
    ['reading in turn', 'read a, read b, read a, read b', '2 3'],
    ['reading after a change', 'read a, write a, read a', ''],
    ['the same change twice', 'write a, write a, write a', '1 2'],
    ['changes in turn', 'write a, write b, write a', ''],
    ['a test before and after a change', 'run t, write a, run t', ''],
  ];
  for (const [what, written, repeated] of cases) {
    it(`${what}: ${repeated === '' ? 'none' : 'the later ones'}`, () => {
      const calls = written.split(', ').map((call, at) => {
        const [name = '', path = ''] = call.split(' ');
        return { callId: String(at), name, input: { path } };
      });
      assert.equal([...repeatedIn(calls, reads)].map(({ callId }) => callId).join(' '), repeated);
    });
  }

  it('calls that could not be read are the same only if they were written the same', () => {
    const unread = (callId: string, written: string) => ({ callId, name: 'read', input: {}, problem: 'no', written });
    const calls = [unread('0', '{"a'), unread('1', '{"b'), unread('2', '{"b')];
    assert.deepEqual(
      [...repeatedIn(calls, reads)].map(({ callId }) => callId),
      ['2'],
    );
  });
});
