import assert from 'node:assert/strict';
import type { EntryInput } from '../../../src/protocol/entries';
import { selectConversation, reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import { entries } from '../../support/entries';

describe('reduceTimeline', () => {
  it('makes one turn of a question, its thinking, its tools and its answer, in the order they happened', () => {
    const log = entries(
      { type: 'user_input', content: 'Read a.txt', data: { mode: 'agent', attachments: [] } },
      { type: 'thinking', content: 'Hm', data: { durationMs: 1200 } },
      { type: 'assistant_output', content: 'I look.', data: { end: 'complete' }, model: 'm' },
      { type: 'tool_call', data: { callId: 'c1', name: 'read_file', input: { path: 'a.txt' }, label: 'a.txt' } },
      { type: 'tool_result', content: 'alpha', data: { callId: 'c1', name: 'read_file', status: 'success', summary: '1 line' } },
      { type: 'assistant_output', content: 'It says alpha.', data: { end: 'complete', stats: { answerTokens: 4 } }, model: 'm' },
      { type: 'run_end', data: { outcome: 'done' } },
    );

    assert.deepEqual(reduceTimeline(log, { isLive: false }), {
      turns: [
        {
          seq: 1,
          user: { text: 'Read a.txt', mode: 'agent', attachments: [], timestamp: 1001, checkpointId: null },
          blocks: [
            { kind: 'thinking', seq: 2, text: 'Hm', isOpen: false, durationMs: 1200 },
            { kind: 'text', seq: 3, text: 'I look.', isOpen: false, end: 'complete' },
            {
              kind: 'toolGroup',
              seq: 4,
              family: 'read',
              state: 'done',
              actions: [
                {
                  kind: 'tool',
                  seq: 4,
                  callId: 'c1',
                  name: 'read_file',
                  label: 'a.txt',
                  input: { path: 'a.txt' },
                  state: 'done',
                  result: { content: 'alpha', summary: '1 line', display: null, durationMs: null, details: {} },
                  edits: [],
                  steps: [],
                  changes: null,
                  isUnasked: false,
                },
              ],
            },
            { kind: 'text', seq: 6, text: 'It says alpha.', isOpen: false, end: 'complete' },
          ],
          model: 'm',
          stats: { answerTokens: 4 },
          todos: null,
          outcome: 'done',
          timestamp: 1001,
        },
      ],
    });
  });

  it('says interrupted for a run that never said how it ended, and running while it lives', () => {
    const log = entries(
      { type: 'user_input', content: 'Hi', data: { mode: 'ask', attachments: [] } },
      { type: 'assistant_output', content: 'Hel', data: {} },
    );
    log[1] = { ...log[1], isOpen: true } as (typeof log)[number];

    const [live] = reduceTimeline(log, { isLive: true }).turns;
    const [restored] = reduceTimeline(log, { isLive: false }).turns;

    assert.deepEqual(
      [live?.outcome, live?.blocks],
      ['running', [{ kind: 'text', seq: 2, text: 'Hel', isOpen: true, end: null }]],
    );
    assert.deepEqual(
      [restored?.outcome, restored?.blocks],
      ['interrupted', [{ kind: 'text', seq: 2, text: 'Hel', isOpen: false, end: 'incomplete' }]],
    );
  });

  it('shows an approval as waiting while the run lives, and cancels it and its call when the run is gone', () => {
    const log = entries(
      { type: 'user_input', content: 'Run it', data: { mode: 'agent', attachments: [] } },
      { type: 'tool_call', data: { callId: 'c1', name: 'run_terminal_command', input: { command: 'ls' } } },
      {
        type: 'approval',
        data: { approvalId: 'a1', callId: 'c1', phase: 'requested', kind: 'command', command: 'ls', cwd: '.' },
      },
    );
    const states = (isLive: boolean) =>
      reduceTimeline(log, { isLive }).turns[0]?.blocks.map((block) => [block.kind, 'state' in block ? block.state : null]);

    assert.deepEqual(states(true), [
      ['toolGroup', 'waiting for approval'],
      ['approval', 'waiting'],
    ]);
    assert.deepEqual(states(false), [
      ['toolGroup', 'cancelled'],
      ['approval', 'cancelled'],
    ]);
  });

  it('shows a call that changes something as queued until the calls before it have ended', () => {
    const call = (callId: string, name: string): EntryInput => ({ type: 'tool_call', data: { callId, name, input: {} } });
    const request = (callId: string, phase: 'requested' | 'decided'): EntryInput => ({
      type: 'approval',
      data: { approvalId: `of ${callId}`, callId, phase, kind: 'command', ...(phase === 'decided' && { decision: 'approved' }) },
    });
    const ended = (callId: string): EntryInput => ({
      type: 'tool_result',
      content: '',
      data: { callId, name: 'run_terminal_command', status: 'success' },
    });
    const user: EntryInput = { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } };
    const calls = [call('a', 'read_file'), call('b', 'read_file'), call('c', 'run_terminal_command'), call('d', 'write_file')];
    const states = (...more: EntryInput[]) =>
      (reduceTimeline(entries(user, ...calls, ...more), { isLive: true }).turns[0]?.blocks ?? []).flatMap((block) =>
        block.kind === 'toolGroup' ? block.actions.map(({ state }) => state) : [],
      );

    assert.deepEqual(states(), ['running', 'running', 'queued', 'queued']);
    assert.deepEqual(states(ended('a')), ['done', 'running', 'queued', 'queued']);
    const waiting = [ended('a'), ended('b'), request('c', 'requested')];
    assert.deepEqual(states(...waiting), ['done', 'done', 'waiting for approval', 'queued']);
    assert.deepEqual(states(...waiting, request('c', 'decided')), ['done', 'done', 'running', 'queued']);
    assert.deepEqual(states(...waiting, request('c', 'decided'), ended('c')), ['done', 'done', 'done', 'running']);
  });

  it('keeps a decided approval decided, and the call it was for at its result', () => {
    const log = entries(
      { type: 'user_input', content: 'Run it', data: { mode: 'agent', attachments: [] } },
      { type: 'tool_call', data: { callId: 'c1', name: 'run_terminal_command', input: { command: 'ls' } } },
      {
        type: 'approval',
        data: { approvalId: 'a1', callId: 'c1', phase: 'requested', kind: 'command', command: 'ls', cwd: '.' },
      },
      { type: 'approval', data: { approvalId: 'a1', callId: 'c1', phase: 'decided', kind: 'command', decision: 'denied' } },
      { type: 'tool_result', content: 'no', data: { callId: 'c1', name: 'run_terminal_command', status: 'denied' } },
      { type: 'run_end', data: { outcome: 'done' } },
    );
    const blocks = reduceTimeline(log, { isLive: false }).turns[0]?.blocks ?? [];
    assert.deepEqual(
      blocks.map((block) => [block.kind, 'state' in block ? block.state : null]),
      [
        ['toolGroup', 'denied'],
        ['approval', 'denied'],
      ],
    );
  });

  it('settles an approval with the result of its call, decided or not', () => {
    const log = entries(
      { type: 'user_input', content: 'Run it', data: { mode: 'agent', attachments: [] } },
      { type: 'tool_call', data: { callId: 'c1', name: 'run_terminal_command', input: { command: 'ls' } } },
      { type: 'approval', data: { approvalId: 'a1', callId: 'c1', phase: 'requested', kind: 'command', command: 'ls' } },
      { type: 'tool_result', content: 'no', data: { callId: 'c1', name: 'run_terminal_command', status: 'error' } },
    );
    const blocks = reduceTimeline(log, { isLive: true }).turns[0]?.blocks ?? [];
    assert.deepEqual(
      blocks.map((block) => ('state' in block ? block.state : null)),
      ['failed', 'cancelled'],
    );
  });

  describe('of a continued run', () => {
    const user: EntryInput = { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } };
    const text = (content: string, end: 'complete' | 'stopped'): EntryInput => ({
      type: 'assistant_output',
      content,
      data: { end },
    });
    const end = (outcome: 'done' | 'failed' | 'limit'): EntryInput => ({ type: 'run_end', data: { outcome } });
    const continued: EntryInput = { type: 'system_message', data: { level: 'info', code: 'continued' } };
    const error: EntryInput = { type: 'error', content: 'Broken', data: { code: 'stream', actions: ['retry'] } };
    const call: EntryInput = { type: 'tool_call', data: { callId: 'c1', name: 'read_file', input: {} } };
    const limit: EntryInput = { type: 'system_message', content: 'Enough', data: { level: 'warning', code: 'maxIterations' } };
    const shown = (...log: EntryInput[]) => {
      const { turns } = reduceTimeline(entries(...log), { isLive: false });
      return [turns.map((turn) => turn.outcome), turns[0]?.blocks.map((block) => ('text' in block ? block.text : block.kind))];
    };

    it('goes on in the same text, and what said why it had ended is gone', () => {
      const log = [user, text('Half of', 'stopped'), error, end('failed'), continued, text('the way.', 'complete'), end('done')];
      assert.deepEqual(shown(...log), [['done'], ['Half of the way.']]);
      const [block] = reduceTimeline(entries(...log), { isLive: false }).turns[0]?.blocks ?? [];
      assert.deepEqual(block, { kind: 'text', seq: 2, text: 'Half of the way.', isOpen: false, end: 'complete' });
    });

    it('that tries again and succeeds leaves no error, and one that fails again keeps both', () => {
      const failed = [error, end('failed')];
      const answer = [text('The answer.', 'complete'), end('done')];
      assert.deepEqual(shown(user, ...failed, ...failed, ...answer), [['done'], ['The answer.']]);
      assert.deepEqual(shown(user, ...failed, ...failed), [['failed'], ['Broken', 'Broken']]);
      assert.deepEqual(shown(user, ...failed, ...answer.slice(0, 1)), [['interrupted'], ['Broken', 'The answer.']]);
    });

    it('stands below the work before it', () => {
      assert.deepEqual(shown(user, call, limit, end('limit'), continued, text('Done.', 'complete'), end('done')), [
        ['done'],
        ['toolGroup', 'Done.'],
      ]);
    });

    it('waits for no answer to what the run before it asked, while it lives itself', () => {
      const asks = (callId: string): EntryInput[] => [
        { type: 'tool_call', data: { callId, name: 'run_terminal_command', input: { command: 'ls' } } },
        { type: 'approval', data: { approvalId: `of ${callId}`, callId, phase: 'requested', kind: 'command', command: 'ls' } },
      ];
      const asked: EntryInput = {
        type: 'question',
        content: 'Which?',
        data: { questionId: 'q', callId: 'c0', phase: 'asked', options: [] },
      };
      const log = entries(user, asked, ...asks('c1'), continued, ...asks('c2'));
      const blocks = reduceTimeline(log, { isLive: true }).turns[0]?.blocks ?? [];
      assert.deepEqual(
        blocks.map((block) => ('state' in block ? block.state : null)),
        ['cancelled', 'cancelled', 'cancelled', 'waiting for approval', 'waiting'],
      );
    });

    it('is interrupted when it never said how it ended, whatever the run before it said', () => {
      const log = [user, text('Half of', 'stopped'), end('failed'), continued];
      assert.deepEqual(shown(...log), [['interrupted'], ['Half of']]);
      assert.deepEqual(shown(...log, text('the', 'stopped')), [['interrupted'], ['Half of the']]);
    });
  });

  it('groups neighbouring reads, and starts a new group after words or other work', () => {
    const read = (callId: string) =>
      ({ type: 'tool_call', data: { callId, name: 'read_file', input: { path: callId } } }) as const;
    const log = entries(
      { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } },
      read('a'),
      read('b'),
      { type: 'tool_call', data: { callId: 'c', name: 'create_file', input: {} } },
      { type: 'assistant_output', content: 'Now', data: { end: 'complete' } },
      read('d'),
    );
    const groups = reduceTimeline(log, { isLive: true }).turns[0]?.blocks.flatMap((block) =>
      block.kind === 'toolGroup' ? [[block.family, ...block.actions.map((action) => action.callId)]] : [],
    );
    assert.deepEqual(groups, [
      ['read', 'a', 'b'],
      ['edit', 'c'],
      ['read', 'd'],
    ]);
  });

  it('takes rewound turns out of the conversation and leaves the log alone', () => {
    const log = entries(
      { type: 'user_input', content: 'One', data: { mode: 'ask', attachments: [] } },
      { type: 'run_end', data: { outcome: 'done' } },
      { type: 'user_input', content: 'Two', data: { mode: 'ask', attachments: [] } },
      { type: 'run_end', data: { outcome: 'done' } },
      { type: 'rewind', data: { fromSeq: 3 } },
      { type: 'user_input', content: 'Three', data: { mode: 'ask', attachments: [] } },
    );
    assert.deepEqual(
      selectConversation(log).map((entry) => entry.seq),
      [1, 2, 6],
    );
    assert.deepEqual(
      reduceTimeline(log, { isLive: false }).turns.map((turn) => turn.user?.text),
      ['One', 'Three'],
    );
    assert.equal(log.length, 6);
  });

  const told = (files: string[]): EntryInput => {
    const named = files.map((path) => ({ path, status: 'created' as const, lines: null }));
    const command = { callId: 'a', before: 'b', after: 'c', files: named, count: files.length };
    return { type: 'checkpoint', data: { kind: 'command_after', title: 'After command', command } };
  };
  const changesOf = (log: ReturnType<typeof entries>) =>
    reduceTimeline(log, { isLive: false }).turns.map(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'toolGroup' ? block.actions.map((one) => one.changes?.count ?? null) : [])),
    );

  it('says nothing more of a command where nothing is left of what it changed', () => {
    const log = entries(
      { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } },
      { type: 'tool_call', data: { callId: 'a', name: 'run_terminal_command', input: { command: 'make' } } },
      told(['lock']),
      told([]),
    );
    assert.deepEqual([changesOf(log.slice(0, 3)), changesOf(log)], [[[1]], [[null]]]);
  });

  it('keeps what a command has changed by its end with its call, also where the turn in which it ended is taken out', () => {
    const log = entries(
      { type: 'user_input', content: 'One', data: { mode: 'agent', attachments: [] } },
      { type: 'tool_call', data: { callId: 'a', name: 'run_terminal_command', input: { command: 'serve' } } },
      told(['early']),
      { type: 'user_input', content: 'Two', data: { mode: 'agent', attachments: [] } },
      told(['early', 'late']),
      { type: 'run_end', data: { outcome: 'done' } },
      { type: 'rewind', data: { fromSeq: 4 } },
      { type: 'user_input', content: 'Three', data: { mode: 'agent', attachments: [] } },
      { type: 'rewind', data: { fromSeq: 8 } },
      { type: 'user_input', content: 'Four', data: { mode: 'agent', attachments: [] } },
      { type: 'rewind', data: { fromSeq: 1 } },
    );
    assert.deepEqual([changesOf(log.slice(0, 8)), changesOf(log.slice(0, 10)), changesOf(log)], [[[2], []], [[2], []], []]);
  });

  it('marks a review that is undone in the same turn, in a later one, or in one that an edited message replaced', () => {
    const say = (content: string): EntryInput => ({ type: 'user_input', content, data: { mode: 'agent', attachments: [] } });
    const review = (action: 'keep' | 'undo' | 'revert', targetSeq?: number): EntryInput => {
      return { type: 'review', data: { action, scope: 'file', paths: ['a'], targetSeq } };
    };
    const log = entries(
      say('One'),
      review('keep'),
      review('undo'),
      review('keep'),
      review('keep'),
      review('revert', 2),
      say('Two'),
      review('revert', 3),
      say('Three'),
      review('revert', 4),
      { type: 'rewind', data: { fromSeq: 9 } },
    );
    const notes = reduceTimeline(log, { isLive: false }).turns.map(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'review' ? [`${block.action} ${block.seq} ${block.isTakenBack}`] : [])),
    );
    assert.deepEqual(notes, [['keep 2 true', 'undo 3 true', 'keep 4 true', 'keep 5 false'], ['revert 8 false']]);
  });

  it('does not change what it is given', () => {
    const log = entries(
      { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } },
      { type: 'tool_call', data: { callId: 'a', name: 'read_file', input: { path: 'a' } } },
      { type: 'tool_result', content: 'x', data: { callId: 'a', name: 'read_file', status: 'error' } },
    );
    const before = structuredClone(log);
    reduceTimeline(log, { isLive: false });
    assert.deepEqual(log, before);
  });
});
