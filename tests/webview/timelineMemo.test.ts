import { describe, expect, it } from 'vitest';
import { reduceTimeline } from '../../src/protocol/reducer/timelineReducer';
import { createTimelineReducer } from '../../src/protocol/reducer/timelineMemo';
import { seeds } from '../support/rounds';
import { TestLog } from './support/log';
import { Random } from './support/random';

describe('createTimelineReducer', () => {
  it('gives what reduceTimeline gives after every step of random logs', () => {
    for (const seed of seeds(20)) {
      const random = new Random(seed);
      const log = new TestLog();
      const reduce = createTimelineReducer();
      for (let step = 0; step < 60; step += 1) {
        randomStep(log, random, step);
        const options = { isLive: random.next() < 0.7, settledThrough: random.integer(log.entries.length + 1) };
        expect(reduce([...log.entries], options), `seed ${seed}, step ${step}`).toEqual(reduceTimeline(log.entries, options));
      }
    }
  });

  it('keeps finished turns and unchanged blocks the same objects', () => {
    const log = new TestLog();
    log.user('one');
    log.add('assistant_output', 'first', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    log.user('two');
    log.add('thinking', 'hm', { durationMs: 1000 });
    const open = log.add('assistant_output', 'a', {}, true);
    const reduce = createTimelineReducer();
    const before = reduce([...log.entries], { isLive: true });
    log.change(open.seq, { content: 'ab' });
    const after = reduce([...log.entries], { isLive: true });

    expect(after.turns[0]).toBe(before.turns[0]);
    expect(after.turns[1]).not.toBe(before.turns[1]);
    expect(after.turns[1]?.blocks[0]).toBe(before.turns[1]?.blocks[0]);
    expect(after.turns[1]?.blocks[1]).toMatchObject({ kind: 'text', text: 'ab' });
  });
});

function randomStep(log: TestLog, random: Random, step: number): void {
  const last = log.entries[log.entries.length - 1];
  if (last?.isOpen && random.next() < 0.7) {
    log.change(last.seq, random.next() < 0.3 ? { isOpen: false } : { content: `${last.content} more` });
    return;
  }
  const call = `c${random.integer(4)}`;
  switch (random.integer(11)) {
    case 0:
      return void log.user(`question ${step}`);
    case 1:
      return void log.add('assistant_output', 'text', {}, true);
    case 2:
      return void log.add('thinking', 'thought', {}, true);
    case 3:
      return void log.call(call, random.pick(['read_file', 'create_file', 'run_terminal_command']), { path: 'a.ts' });
    case 4:
      return void log.add('tool_result', 'read', {
        callId: call,
        name: 'read_file',
        status: random.pick(['success', 'error'] as const),
      });
    case 5:
      return void log.add('approval', '', {
        approvalId: `a${call}`,
        callId: call,
        phase: 'requested',
        kind: 'command',
        command: 'ls',
      });
    case 6:
      return void log.add('approval', '', {
        approvalId: `a${call}`,
        callId: call,
        phase: 'decided',
        kind: 'command',
        decision: 'approved',
      });
    case 7:
      return void log.add('run_end', '', { outcome: random.pick(['done', 'stopped', 'failed'] as const) });
    case 8:
      return void log.add('error', 'failed', { code: 'x', actions: [] });
    case 9:
      return void (log.entries.length > 3 && random.next() < 0.3
        ? log.add('rewind', '', { fromSeq: 1 + random.integer(log.entries.length) })
        : log.add('system_message', 'note', { level: 'info', code: 'x' }));
    default:
      return void log.add('file_edit', '', {
        callId: call,
        path: 'a.ts',
        operation: 'modify' as const,
        diff: '',
        beforeHash: null,
        afterHash: null,
        additions: 1,
        deletions: 0,
      });
  }
}
