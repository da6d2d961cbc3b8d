import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import type { Attachment, EntryInput } from '../../../src/protocol/entries';
import { buildHistory } from '../../../src/protocol/history';
import { entries } from '../../support/entries';
import type { Scripted } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';

const long = 'A line of some length, of which there are many.\n'.repeat(20);
const read: Scripted = [{ call: { name: 'read_file', arguments: { path: 'long.txt' } } }];
const unchanged = /^Nothing has changed since you made the same call before/;

describe('what a model has read already', () => {
  let bench: AgentBench;
  beforeEach(async () => {
    bench = await AgentBench.start({});
    await writeFile(bench.file('long.txt'), long);
  });
  afterEach(() => bench.stop());

  /** Returns the tool results in the last request. */
  const results = (): string[] =>
    (bench.chats().at(-1)?.['messages'] as { role: string; content: string }[])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content);

  it('is not sent again as long as it has not changed, and its row shows it whole', async () => {
    bench.double.script.push(read, read, 'Done. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Read it twice');
    const [first, second] = results();
    assert.ok((first ?? '').includes(long.trim()));
    assert.match(second ?? '', unchanged);
    const shown = bench.view.entries(sessionId).findLast(({ type }) => type === 'tool_result');
    assert.ok(shown?.type === 'tool_result' && shown.data.display === first);
  });

  it('is sent whole where it has changed, and where what stood before was rewound', async () => {
    bench.double.script.push(read, 'Read. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Read it');
    await appendFile(bench.file('long.txt'), 'One more.\n');
    bench.double.script.push(read, 'Read. [TASK_COMPLETE]');
    await bench.ask('Read it again', { sessionId });
    assert.match(results().at(-1) ?? '', /One more\./);
    bench.double.script.push(read, 'Read. [TASK_COMPLETE]');
    await bench.ask('And again', { sessionId });
    assert.match(results().at(-1) ?? '', unchanged);
    const message = bench.view.entries(sessionId).find(({ type }) => type === 'user_input');
    bench.double.script.push(read, 'Read. [TASK_COMPLETE]');
    const again = { sessionId, seq: message?.seq ?? 0, text: 'Read it', mode: 'agent', model: 'worker' } as const;
    await bench.controller.resend(again);
    await bench.over(sessionId);
    assert.match(results().at(-1) ?? '', /One more\./);
  });

  it('is sent whole where a stub stands for what it was, and a result that only tells so supersedes none', () => {
    const call = (callId: string): EntryInput => ({
      type: 'tool_call',
      data: { callId, name: 'read_file', input: { path: 'a' } },
    });
    const result = (callId: string, content: string, sameAs?: string): EntryInput => ({
      type: 'tool_result',
      content,
      data: { callId, name: 'read_file', status: 'success', ...(sameAs !== undefined && { sameAs }) },
    });
    const limits = [{ throughSeq: 5, characters: 0, isSupersededOnly: true }];
    const superseded: EntryInput = { type: 'system_message', data: { level: 'info', code: 'shortened', limits } };
    const message: EntryInput = { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } };
    const log = [message, call('one'), result('one', long), call('two')];
    const first = (second: EntryInput) =>
      buildHistory(entries(...log, second, superseded)).find(({ role }) => role === 'tool')?.content;
    assert.match(first(result('two', long)) ?? '', /^\[Left out to save room/);
    assert.equal(first(result('two', 'Nothing has changed', 'one')), long);
  });

  it('is told once of what is attached to several messages, whole again where it is another text', () => {
    const file = (content: string): Attachment => ({ kind: 'file', path: 'a.txt', content });
    const message = (content: string, text: string): EntryInput[] => [
      { type: 'user_input', content: text, data: { mode: 'ask', attachments: [file(content)] } },
      { type: 'assistant_output', content: 'Yes.', data: { end: 'complete' } },
    ];
    const log = entries(...message(long, 'One'), ...message(long, 'Two'), ...message(`${long}more\n`, 'Three'));
    const [one, two, three] = buildHistory(log)
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content);
    assert.ok(one?.includes(long));
    assert.match(
      two ?? '',
      /^Attached file: a\.txt\n```\n\(The same as in the message above: nothing has changed\.\)\n```\n\nTwo$/,
    );
    assert.ok(three?.includes('more\n'));
  });
});
