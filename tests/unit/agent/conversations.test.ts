import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import type { Scripted } from '../../support/ollama/doubleReply';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

interface Conversation {
  /** Sentence that describes the behaviour. */
  title: string;
  /** True to also run it one byte at a time. */
  isCutSmall?: boolean;
  options?: BenchOptions;
  mode?: 'agent' | 'ask';
  files?: Record<string, string>;
  script: Scripted[];
  /** Answers to the questions, in order. */
  decisions?: boolean[];
  seen: string[];
}

const native: ModelSpec = { name: 'worker', capabilities: ['completion', 'tools'], path: 'native' };
const harmony: ModelSpec = { name: 'worker', capabilities: ['completion', 'tools'], path: 'harmony' };
const thinker: ModelSpec = { name: 'worker', capabilities: ['completion', 'tools', 'thinking'] };
const talker: ModelSpec = { name: 'worker', capabilities: ['completion'] };

const readIt = { call: { name: 'read_file', arguments: { path: 'a.txt' } } };
const createIt = { call: { name: 'create_file', arguments: { path: 'notes/b.txt', content: 'one\ntwo\n' } } };
const replaceIt = {
  call: { name: 'replace_in_file', arguments: { path: 'a.txt', oldText: 'alpha', newText: 'beta\ngamma' } },
};
const moveIt = { call: { name: 'rename_file', arguments: { path: 'a.txt', newPath: 'b.txt' } } };
const writeIt = { call: { name: 'write_file', arguments: { path: 'b.txt', content: 'delta\n' } } };
const deleteIt = { call: { name: 'delete_file', arguments: { path: 'b.txt' } } };
const runIt = { call: { name: 'run_terminal_command', arguments: { command: 'echo done' } } };
const listIt = { call: { name: 'list_files', arguments: {} } };
const searchIt = { call: { name: 'search_workspace', arguments: { query: 'ALPHA' } } };
const readOf = (path: string) => ({ call: { name: 'read_file', arguments: { path } } });
const again = <T>(times: number, item: T): T[] => Array.from({ length: times }, () => item);

const cut = (text: string): Scripted => ({ steps: [text], unlimited: true, doneReason: 'length', metrics: { eval_count: 3 } });

const emptyTwice =
  'error emptyAnswer {retry, selectModel}: worker:latest returned an empty answer twice. Small models sometimes call a tool that does not exist, ' +
  'and the server then discards the answer. Rephrase the task or split it up, or choose a larger model.';

const conversations: Conversation[] = [
  {
    title: 'thinking and answer are told apart in Ask mode',
    isCutSmall: true,
    options: { models: [thinker] },
    mode: 'ask',
    script: [[{ thinking: 'Let me ' }, { thinking: 'see.' }, 'Hello, ', 'you.']],
    seen: ['you: Go', 'thinking: Let me see.', 'text (complete): Hello, you.', '= done'],
  },
  {
    title: 'a file is edited, moved, written anew and deleted',
    options: {
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }],
      settings: { 'agent.loadTools': false },
    },
    files: { 'a.txt': 'alpha\n' },
    script: [[replaceIt, moveIt], [writeIt], [deleteIt], 'All done. [TASK_COMPLETE]'],
    seen: [
      'you: Go',
      'replace_in_file a.txt [done] +2 −1',
      '  modify a.txt +2 -1',
      'rename_file a.txt → b.txt [done] to b.txt',
      '  rename a.txt +0 -0',
      'write_file b.txt [done] +1 −2',
      '  modify b.txt +1 -2',
      'delete_file b.txt [done] −1',
      '  delete b.txt +0 -1',
      'text (complete): All done.',
      '= done',
    ],
  },
  {
    title: 'a file is read, one is created and an approved command runs',
    isCutSmall: true,
    files: { 'a.txt': 'alpha\n' },
    script: [['First the file.', readIt], [createIt], ['Now the command.', runIt], 'All done. [TASK_COMPLETE]'],
    decisions: [true],
    seen: [
      'you: Go',
      'text (complete): First the file.',
      'read_file a.txt [done] 1 line',
      'create_file notes/b.txt [done] +2',
      '  create notes/b.txt +2 -0',
      'text (complete): Now the command.',
      'run_terminal_command echo done [done] exit code 0',
      'approve command echo done [approved] low',
      'text (complete): All done.',
      '= done',
    ],
  },
  {
    title: 'calls that come in the final line are all run, in their order',
    isCutSmall: true,
    options: { models: [native] },
    files: { 'a.txt': 'alpha' },
    script: [['Both.', readIt, createIt], 'Good.'],
    seen: [
      'you: Go',
      'text (complete): Both.',
      'read_file a.txt [done] 1 line',
      'create_file notes/b.txt [done] +2',
      '  create notes/b.txt +2 -0',
      'text (complete): Good.',
      '= done',
    ],
  },
  {
    title: 'the one call of the final line is run',
    options: { models: [harmony] },
    files: { 'a.txt': 'alpha' },
    script: [[readIt], 'Good.'],
    seen: ['you: Go', 'read_file a.txt [done] 1 line', 'text (complete): Good.', '= done'],
  },
  {
    title: 'calls between pieces of text keep their place',
    isCutSmall: true,
    files: { 'a.txt': 'alpha' },
    script: [['One.', readIt, 'Two.', createIt], 'Good.'],
    seen: [
      'you: Go',
      'text (complete): One.',
      'read_file a.txt [done] 1 line',
      'text (complete): Two.',
      'create_file notes/b.txt [done] +2',
      '  create notes/b.txt +2 -0',
      'text (complete): Good.',
      '= done',
    ],
  },
  {
    title: 'Ask mode looks at files, several at a time, and cannot change any',
    isCutSmall: true,
    mode: 'ask',
    options: { models: [native] },
    files: { 'a.txt': 'alpha\n', 'b.txt': 'beta' },
    script: [[readIt, listIt, searchIt, createIt], 'It says alpha.'],
    seen: [
      'you: Go',
      'read_file a.txt [done] 1 line',
      'list_files . [done] 2 entries',
      'search_workspace “ALPHA” [done] nothing found',
      'create_file notes/b.txt [failed] unknown tool',
      'text (complete): It says alpha.',
      '= done',
    ],
  },
  {
    title: 'Ask mode without a model that can use tools, without a folder or without trust is plain chat',
    mode: 'ask',
    options: { models: [talker], isTrusted: false, hasFolder: false },
    script: ['Just words.'],
    seen: ['you: Go', 'text (complete): Just words.', '= done'],
  },
  {
    title: 'a file with secrets is read only after a person has agreed, also in Ask mode',
    files: { '.env': 'A=1', 'a.txt': 'alpha' },
    options: { models: [native] },
    mode: 'ask',
    script: [[readOf('.env'), readOf('a.txt')], 'One of them.'],
    decisions: [false],
    seen: [
      'you: Go',
      'read_file .env [denied] skipped',
      'read_file a.txt [done] 1 line',
      'approve read .env [denied]',
      'text (complete): One of them.',
      '= done',
    ],
  },
  {
    title: 'a declined command is not run and the agent goes on',
    script: [[runIt], 'Then not. [TASK_COMPLETE]'],
    decisions: [false],
    seen: [
      'you: Go',
      'run_terminal_command echo done [denied] skipped',
      'approve command echo done [denied] low',
      'text (complete): Then not.',
      '= done',
    ],
  },
  {
    title: 'think tags inside the text are thinking, however they are cut',
    isCutSmall: true,
    script: [['<th', 'ink>Hm', 'm</thi', 'nk>\n\n', 'So be', ' it.']],
    seen: ['you: Go', 'thinking: Hmm', 'text (complete): So be it.', '= done'],
  },
  {
    title: 'a closer without an opener is dropped',
    script: [['\n</think>\n\nYes.']],
    seen: ['you: Go', 'text (complete): Yes.', '= done'],
  },
  {
    title: 'text that a closer without an opener ends was thinking, and the model is not told it again',
    isCutSmall: true,
    files: { 'a.txt': 'alpha' },
    script: [['I should ', 'read it.\n</th', 'ink>\n\nFirst the file.', readIt], 'Good.'],
    seen: [
      'you: Go',
      'thinking: I should read it.',
      'text (complete): First the file.',
      'read_file a.txt [done] 1 line',
      'text (complete): Good.',
      '= done',
    ],
  },
  {
    title: 'the completion mark is recognised and taken out where the server lets it through',
    isCutSmall: true,
    options: { models: [native] },
    script: [[{ raw: line('Done. [TASK_') + line('COMPLETE]\n') }, createIt]],
    seen: ['you: Go', 'text (complete): Done.', 'create_file notes/b.txt [done] +2', '  create notes/b.txt +2 -0', '= done'],
  },
  {
    title: 'an empty answer is asked for once more',
    script: [[], 'Here I am.'],
    seen: ['you: Go', 'text (complete): Here I am.', '= done'],
  },
  { title: 'two empty answers are explained', script: [[], []], seen: ['you: Go', emptyTwice, '= failed'] },
  {
    title: 'thinking that leads to no answer counts as an empty one',
    options: { models: [thinker] },
    script: [[{ thinking: 'Hm.' }], [{ thinking: 'Ah.' }, 'Yes.']],
    seen: ['you: Go', 'thinking: Hm.', 'thinking: Ah.', 'text (complete): Yes.', '= done'],
  },
  {
    title: 'an answer that was nothing but the completion mark ends the task',
    files: { 'a.txt': 'alpha' },
    script: [[readIt], { steps: [], metrics: { eval_count: 6 } }],
    seen: ['you: Go', 'read_file a.txt [done] 1 line', '= done'],
  },
  {
    title: 'a tool that does not exist is answered with those that do',
    script: [[{ call: { name: 'fly', arguments: {} } }], 'I see.'],
    options: { models: [native] },
    seen: ['you: Go', 'fly {} [failed] unknown tool', 'text (complete): I see.', '= done'],
  },
  {
    title: 'surplus arguments are ignored and said',
    files: { 'a.txt': 'alpha' },
    script: [[{ call: { name: 'read_file', arguments: { file: 'a.txt', content: 'x' } } }], 'Good.'],
    seen: ['you: Go', 'read_file a.txt [done] 1 line (ignored: content)', 'text (complete): Good.', '= done'],
  },
  {
    title: 'an answer that is cut off is gone on with by itself',
    options: { settings: { 'agentMode.maxTokens': 3 } },
    script: [cut('One two'), cut('three four'), { steps: ['five. [TASK_COMPLETE]'], unlimited: true }],
    seen: ['you: Go', 'text (complete): One two three four five.', '= done'],
  },
  {
    title: 'an answer that is cut off again and again says why',
    options: { settings: { 'agentMode.maxTokens': 3 } },
    script: again(4, cut('One two three')),
    seen: [
      'you: Go',
      `text (length): ${again(4, 'One two three').join(' ')}`,
      'notice length: The answer was cut off at the limit of 3 tokens. Select Continue for the rest, or increase “maxTokens” in the settings.',
      '= limit',
    ],
  },
  {
    title: 'a stream without its end is told as incomplete',
    script: [['Half a', { end: true }]],
    seen: [
      'you: Go',
      'text (incomplete): Half a',
      'error stream {retry}: The model’s answer ended early. Try again.',
      '= failed',
    ],
  },
  {
    title: 'a call that came before the stream broke is not run',
    script: [[createIt, { end: true }]],
    seen: [
      'you: Go',
      'create_file notes/b.txt [cancelled]',
      'error stream {retry}: The model’s answer ended early. Try again.',
      '= failed',
    ],
  },
  {
    title: 'a model without tools of its own writes its calls as text',
    isCutSmall: true,
    options: { models: [talker] },
    files: { 'a.txt': 'alpha\n' },
    script: [['I read it.\n', readIt], [createIt], 'It says alpha. [TASK_COMPLETE]'],
    seen: [
      'you: Go',
      'text (complete): I read it.',
      'read_file a.txt [done] 1 line',
      'create_file notes/b.txt [done] +2',
      '  create notes/b.txt +2 -0',
      'text (complete): It says alpha.',
      '= done',
    ],
  },
  {
    title: 'an untrusted workspace has no tools',
    options: { models: [talker], isTrusted: false },
    script: ['I can only talk.'],
    seen: [
      'you: Go',
      'notice untrusted: This workspace is not trusted, so the agent has no tools. Trust the workspace to let the agent read and change files.',
      'text (complete): I can only talk.',
      '= done',
    ],
  },
  {
    title: 'without a folder there are no tools',
    options: { hasFolder: false },
    script: ['Hello.'],
    seen: [
      'you: Go',
      'notice noFolder: No folder is open, so the agent has no tools. Open a folder to let the agent read and change files.',
      'text (complete): Hello.',
      '= done',
    ],
  },
  {
    title: 'an overflow is told with its numbers',
    options: { settings: { 'agent.maxContextWindow': 512 } },
    mode: 'ask',
    script: [
      {
        refuse: {
          status: 400,
          message:
            '{"error":{"code":400,"message":"request (2048 tokens) exceeds the available context size (512 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":2048,"n_ctx":512}}',
        },
      },
    ],
    seen: [
      'you: Go',
      'error contextOverflow {newSession, openSettings}: This chat needs about 2,048 tokens, but the context window is 512. ' +
        'Start a new chat, send a shorter message, or increase the context window in the settings.',
      '= failed',
    ],
  },
  {
    title: 'the agent stops at the limit of steps',
    options: { settings: { 'agent.maxIterations': 2 } },
    files: { 'a.txt': 'alpha', 'b.txt': 'beta' },
    script: [[readIt], [{ call: { name: 'read_file', arguments: { path: 'b.txt' } } }]],
    seen: [
      'you: Go',
      'read_file a.txt [done] 1 line',
      'read_file b.txt [done] 1 line',
      'notice maxIterations: Stopped after 2 steps, the limit in “Maximum steps per message”. Select Continue to go on.',
      '= limit',
    ],
  },
];

describe('scripted conversations, live and restored', () => {
  let bench: AgentBench | undefined;
  afterEach(async () => {
    await bench?.stop();
    bench = undefined;
  });

  for (const conversation of conversations) {
    for (const chunkBytes of conversation.isCutSmall ? [1, 65_536] : [65_536]) {
      it(`${conversation.title} (${chunkBytes} bytes at a time)`, async () => {
        bench = await AgentBench.start(conversation.options);
        bench.double.chunkBytes = chunkBytes;
        bench.double.script.push(...conversation.script);
        for (const [name, content] of Object.entries(conversation.files ?? {})) await writeFile(bench.file(name), content);
        const sessionId = await bench.send('Go', { mode: conversation.mode ?? 'agent' });
        for (const approve of conversation.decisions ?? []) {
          const { data } = await bench.question(sessionId);
          await bench.controller.decideApproval(sessionId, data.approvalId, approve);
        }
        await bench.over(sessionId);
        assert.deepEqual(await bench.seen(sessionId), conversation.seen);
        assert.deepEqual(bench.problems, []);
      });
    }
  }

  it('what a tool did and said is on disk, and the model reads it in the next request', async () => {
    bench = await AgentBench.start();
    await writeFile(bench.file('a.txt'), 'alpha\nbeta\n');
    bench.double.script.push([readIt], ['Creating.', createIt], 'Done.');
    await bench.ask('Go');
    assert.equal(await readFile(bench.file('notes/b.txt'), 'utf8'), 'one\ntwo\n');
    const [system, ...messages] = bench.chats()[2]?.['messages'] as {
      role: string;
      content: string;
      tool_calls?: { id: string }[];
    }[];
    assert.equal(system?.role, 'system');
    const ids = messages.flatMap((message) => message.tool_calls ?? []).map((call) => call.id);
    assert.deepEqual(messages, [
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: ids[0], function: { name: 'read_file', arguments: { path: 'a.txt' } } }],
      },
      { role: 'tool', content: 'alpha\nbeta', tool_name: 'read_file', tool_call_id: ids[0] },
      {
        role: 'assistant',
        content: 'Creating.',
        tool_calls: [
          { id: ids[1], function: { name: 'create_file', arguments: { path: 'notes/b.txt', content: 'one\ntwo\n' } } },
        ],
      },
      { role: 'tool', content: 'Created notes/b.txt (2 lines).', tool_name: 'create_file', tool_call_id: ids[1] },
    ]);
  });

  it('a model without tools of its own is told of them in words, and of their results too', async () => {
    bench = await AgentBench.start({ models: [{ ...talker, parameters: { stop: ['<|end|>'] } }] });
    await writeFile(bench.file('a.txt'), 'alpha\n');
    bench.double.script.push(['Reading.\n', readIt], 'Good.');
    await bench.ask('Go');
    const [first, second] = bench.chats() as { tools?: unknown; options: { stop: string[] }; messages: { content: string }[] }[];
    assert.equal(first?.tools, undefined);
    assert.deepEqual(first?.options.stop, ['<|end|>', '[TASK_COMPLETE]', '<tool_response']);
    assert.match(
      first?.messages[0]?.content ?? '',
      /\n- read_file \{path: string, startLine\?: integer, endLine\?: integer\}: Read a text file/,
    );
    assert.deepEqual(second?.messages.slice(1), [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Reading.\n<tool_call>\n{"name":"read_file","arguments":{"path":"a.txt"}}\n</tool_call>' },
      { role: 'user', content: '<tool_response name="read_file">\nalpha\n</tool_response>' },
    ]);
    assert.equal(second?.messages[0]?.content, first?.messages[0]?.content);
  });

  for (const [kind, spec] of [
    ['of its own', native],
    ['in words', talker],
  ] as const)
    it(`what a model with tools ${kind} has read stays as it was, to the byte, and what is new comes behind it`, async () => {
      bench = await AgentBench.start({ models: [spec] });
      await writeFile(bench.file('a.txt'), 'alpha\n');
      bench.double.script.push(['One.\n', readIt], [createIt], [], 'Good.', [replaceIt], 'Better.');
      const sessionId = await bench.ask('Go');
      await bench.ask('And on', { sessionId });
      const sent = bench.chats().map(({ messages, ...others }) => [JSON.stringify(messages), JSON.stringify(others)] as const);
      // After an empty answer, one request contains a hint.
      const [[hinted = ''] = []] = sent.splice(2, 1);
      assert.equal(sent.length, 5);
      assert.equal(hinted.startsWith(sent[1]?.[0].slice(0, -'"}]'.length) ?? '-'), true);
      sent.slice(1).forEach(([messages, others], index) => {
        const [before, othersBefore] = sent[index] ?? [];
        assert.equal(messages.startsWith(before?.slice(0, -']'.length) ?? '-'), true, messages);
        assert.equal(others, othersBefore);
      });
    });

  it('what is being prepared is told while it is written', async () => {
    bench = await AgentBench.start();
    bench.double.chunkBytes = 64;
    bench.double.script.push(
      ['Now.\n<tool_call>{"name": "create_file", ', '"arguments": {"path": "a.txt", "content": "x"}}</tool_call>'],
      'Good.',
    );
    await bench.ask('Go');
    const told = bench.states.map(({ activity }) => (activity?.kind === 'preparing' ? activity.work : activity?.kind));
    // The edit is reported while the model writes it.
    const changes = told.filter((one, index) => one !== told[index - 1]);
    assert.deepEqual(changes.slice(changes.indexOf('answering'), changes.indexOf('tool')), ['answering', 'edit', 'answering']);
  });

  it('the third identical result tells the model to stop repeating itself', async () => {
    bench = await AgentBench.start();
    await writeFile(bench.file('a.txt'), 'alpha');
    bench.double.script.push(...again(3, [readIt]), 'Fine.');
    const sessionId = await bench.ask('Go');
    const results = bench.view.entries(sessionId).filter((entry) => entry.type === 'tool_result');
    assert.deepEqual(
      results.map((entry) => entry.content),
      [
        'alpha',
        'alpha',
        'alpha\n\n[This is call number 3 in a row with the same arguments and the same result. Do not do that again: use what you know, try something else, or finish.]',
      ],
    );
  });
});

/** Returns one line of a chat stream. */
function line(content: string): string {
  return `${JSON.stringify({ model: 'worker', created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content }, done: false })}\n`;
}
