import assert from 'node:assert/strict';
import type { EntryInput } from '../../../src/protocol/entries';
import { historyForNextAnswer, buildHistory, isContinuing } from '../../../src/protocol/history';
import type { WireMessage } from '../../../src/types/ollama';
import { entries } from '../../support/entries';

const user = (content: string): EntryInput => ({ type: 'user_input', content, data: { mode: 'agent', attachments: [] } });
const thinking = (content: string): EntryInput => ({ type: 'thinking', content, data: {} });
const text = (content: string): EntryInput => ({ type: 'assistant_output', content, data: { end: 'complete' } });
const call = (callId: string, path = 'a.txt'): EntryInput => ({
  type: 'tool_call',
  data: { callId, name: 'read_file', input: { path } },
});
const result = (callId: string, content: string): EntryInput => ({
  type: 'tool_result',
  content,
  data: { callId, name: 'read_file', status: 'success' },
});
const end = (outcome: 'done' | 'stopped' | 'failed' = 'done'): EntryInput => ({ type: 'run_end', data: { outcome } });
const error: EntryInput = { type: 'error', content: 'Broken', data: { code: 'stream', actions: [] } };

const cut = (content: string): EntryInput => ({ type: 'assistant_output', content, data: { end: 'stopped' } });
const goingOn: EntryInput = { type: 'system_message', content: '', data: { level: 'info', code: 'continued' } };

const said = (content: string, ...calls: [string, string?][]): WireMessage => ({
  role: 'assistant',
  content,
  ...(calls.length > 0 && {
    tool_calls: calls.map(([id, path = 'a.txt']) => ({ id, function: { name: 'read_file', arguments: { path } } })),
  }),
});
const answered = (id: string, content: string): WireMessage => ({
  role: 'tool',
  content,
  tool_name: 'read_file',
  tool_call_id: id,
});

const interrupted = 'Interrupted: this call was not run to its end and has no result.';

const cases: { title: string; log: EntryInput[]; history: WireMessage[] }[] = [
  {
    title: 'what is attached comes before the words, by path and lines, in a fence that nothing in it ends',
    log: [
      {
        type: 'user_input',
        content: 'Why?',
        data: {
          mode: 'ask',
          attachments: [
            { kind: 'file', path: 'README.md', content: '```js\n1\n```\n' },
            { kind: 'selection', path: 'src/a.ts', startLine: 3, endLine: 4, content: 'let a;\nlet b;' },
            { kind: 'file', path: 'old.ts' },
          ],
        },
      },
    ],
    history: [
      {
        role: 'user',
        content: [
          'Attached file: README.md\n````\n```js\n1\n```\n````',
          'Attached selection: src/a.ts, lines 3 to 4\n```\nlet a;\nlet b;\n```',
          'Attached file: old.ts (its text was not kept)',
          'Why?',
        ].join('\n\n'),
      },
    ],
  },
  {
    title: 'each call is followed by its result, thinking and run ends are left out',
    log: [user('Go'), thinking('Hm'), text('Reading.'), call('1'), result('1', 'alpha'), text('Done.'), end(), user('More')],
    history: [
      { role: 'user', content: 'Go' },
      said('Reading.', ['1']),
      answered('1', 'alpha'),
      said('Done.'),
      { role: 'user', content: 'More' },
    ],
  },
  {
    title: 'calls of one answer stay together, and results come in their order',
    log: [
      user('Go'),
      call('1', 'a'),
      call('2', 'b'),
      result('2', 'beta'),
      result('1', 'alpha'),
      call('3', 'c'),
      result('3', 'gamma'),
    ],
    history: [
      { role: 'user', content: 'Go' },
      said('', ['1', 'a'], ['2', 'b']),
      answered('1', 'alpha'),
      answered('2', 'beta'),
      said('', ['3', 'c']),
      answered('3', 'gamma'),
    ],
  },
  {
    title: 'text after a call stands after the result of that call',
    log: [user('Go'), text('One.'), call('1'), text('Two.'), call('2'), result('1', 'alpha'), result('2', 'beta')],
    history: [
      { role: 'user', content: 'Go' },
      said('One.', ['1']),
      answered('1', 'alpha'),
      said('Two.', ['2']),
      answered('2', 'beta'),
    ],
  },
  {
    title: 'text that thinking has divided is one message',
    log: [user('Go'), text('One.'), thinking('Hm'), text('Two.'), end(), user('More')],
    history: [{ role: 'user', content: 'Go' }, said('One.\n\nTwo.'), { role: 'user', content: 'More' }],
  },
  {
    title: 'a call without a result is said to be interrupted',
    log: [user('Go'), call('1'), end('stopped'), user('Go on')],
    history: [{ role: 'user', content: 'Go' }, said('', ['1']), answered('1', interrupted), { role: 'user', content: 'Go on' }],
  },
  {
    title: 'a declined call says so',
    log: [
      user('Go'),
      call('1'),
      { type: 'tool_result', content: '', data: { callId: '1', name: 'read_file', status: 'denied' } },
    ],
    history: [{ role: 'user', content: 'Go' }, said('', ['1']), answered('1', 'The user declined this call. It was not run.')],
  },
  {
    title: 'errors and notices are not sent, and what a person sent in a row is one message',
    log: [
      user('Go'),
      error,
      end('failed'),
      { type: 'system_message', content: 'x', data: { level: 'info', code: 'x' } },
      user('Please'),
    ],
    history: [{ role: 'user', content: 'Go\n\nPlease' }],
  },
  {
    title: 'a half answer is sent as it is when the person goes on',
    log: [user('Go'), { type: 'assistant_output', content: 'Half', data: { end: 'stopped' } }, end('stopped'), user('And?')],
    history: [{ role: 'user', content: 'Go' }, said('Half'), { role: 'user', content: 'And?' }],
  },
  {
    title: 'an answer that was given again stands for the attempt before it',
    log: [user('Go'), text('Half'), error, end('failed'), text('Whole.'), end(), user('More')],
    history: [{ role: 'user', content: 'Go' }, said('Whole.'), { role: 'user', content: 'More' }],
  },
  {
    title: 'an answer that was gone on with is one answer',
    log: [user('Go'), cut('Half of'), end('stopped'), goingOn, text('the way.'), end(), user('More')],
    history: [{ role: 'user', content: 'Go' }, said('Half of the way.'), { role: 'user', content: 'More' }],
  },
  {
    title: 'an answer that was cut twice and then given again stands for all attempts before it',
    log: [user('Go'), cut('Half'), end('stopped'), goingOn, cut('more'), error, end('failed'), text('Whole.'), end()],
    history: [{ role: 'user', content: 'Go' }, said('Whole.')],
  },
  {
    title: 'a continued answer may call tools',
    log: [user('Go'), cut('I shall'), end('stopped'), goingOn, text('read it.'), call('1'), result('1', 'alpha')],
    history: [{ role: 'user', content: 'Go' }, said('I shall read it.', ['1']), answered('1', 'alpha')],
  },
  {
    title: 'work that was done before a retry stays',
    log: [user('Go'), call('1'), result('1', 'alpha'), text('Half'), error, end('failed'), call('2'), result('2', 'beta')],
    history: [{ role: 'user', content: 'Go' }, said('', ['1']), answered('1', 'alpha'), said('', ['2']), answered('2', 'beta')],
  },
  {
    title: 'a compaction stands for what it replaced',
    log: [
      user('Old'),
      call('1'),
      result('1', 'alpha'),
      text('Done.'),
      { type: 'compact_marker', content: 'We read a.', data: { compactedCount: 4, throughSeq: 4, summary: 'We read a.' } },
      user('New'),
    ],
    history: [{ role: 'user', content: 'Summary of the conversation so far:\nWe read a.\n\nNew' }],
  },
  {
    title: 'what a rewind took out is gone',
    log: [user('One'), text('1'), end(), user('Two'), text('2'), end(), { type: 'rewind', data: { fromSeq: 4 } }, user('Three')],
    history: [{ role: 'user', content: 'One' }, said('1'), { role: 'user', content: 'Three' }],
  },
];

describe('history for the model', () => {
  for (const { title, log, history } of cases) {
    it(title, () => assert.deepEqual(buildHistory(entries(...log)), history));
  }

  it('an answer to be given again is not sent along', () => {
    const log = entries(user('Go'), text('Half'), error, end('failed'));
    assert.deepEqual(historyForNextAnswer(log), [{ role: 'user', content: 'Go' }]);
  });

  it('a partial answer is sent along to be gone on with, until there is more of it', () => {
    const log = [user('Go'), cut('Half of'), error, end('failed'), goingOn];
    const asked = historyForNextAnswer(entries(...log));
    assert.deepEqual(asked.slice(0, 2), [{ role: 'user', content: 'Go' }, said('Half of')]);
    assert.deepEqual([asked.length, asked[2]?.role], [3, 'user']);
    assert.match(asked[2]?.content ?? '', /Continue it exactly where it stopped/);
    assert.equal(isContinuing(entries(...log)), true);
    assert.deepEqual(historyForNextAnswer(entries(...log, text('the way.'))), [{ role: 'user', content: 'Go' }]);
  });

  it('work goes on from its results, and a message without any answer from itself', () => {
    const worked = entries(user('Go'), call('1'), result('1', 'alpha'), end('stopped'), goingOn);
    assert.deepEqual(historyForNextAnswer(worked), [{ role: 'user', content: 'Go' }, said('', ['1']), answered('1', 'alpha')]);
    const bare = entries(user('Go'), end('stopped'), goingOn);
    assert.deepEqual(historyForNextAnswer(bare), [{ role: 'user', content: 'Go' }]);
    assert.deepEqual([isContinuing(worked), isContinuing(bare)], [false, false]);
  });

  it('results are what the next answer starts from', () => {
    const log = entries(user('Go'), text('Reading.'), call('1'), end('stopped'));
    assert.deepEqual(historyForNextAnswer(log), [
      { role: 'user', content: 'Go' },
      said('Reading.', ['1']),
      answered('1', interrupted),
    ]);
  });
});
