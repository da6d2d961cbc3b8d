import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import type { Scripted, Step } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

interface Difficulty {
  /** Sentence that describes the behaviour. */
  title: string;
  /** True to also run it one byte at a time. */
  isCutSmall?: boolean;
  options?: BenchOptions;
  script: Scripted[];
  /** Everything that the user sees after `you: Go`. */
  seen: string[];
}

const native: ModelSpec = { name: 'worker', capabilities: ['completion', 'tools'], path: 'native' };
const readIt = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
const createIt = '{"name": "create_file", "arguments": {"path": "notes/b.txt", "content": "one\\ntwo\\n"}}';
const wrongEdit = (oldText: string): string =>
  `<tool_call>{"name": "replace_in_file", "arguments": {"path": "a.txt", "oldText": "${oldText}", "newText": "y"}}</tool_call>`;
const read = 'read_file a.txt [done] 1 line';
const created = ['create_file notes/b.txt [done] +2', '  create notes/b.txt +2 -0'];
const good = ['text (complete): Good.', '= done'];

const again = <T>(times: number, ...items: T[]): T[] => Array.from({ length: times }, () => items).flat();
const nativeCall = (name: string, input: Record<string, unknown>): Scripted => [{ call: { name, arguments: input } }];
const cutOff = (...steps: Step[]): Scripted => ({
  steps,
  unlimited: true,
  doneReason: 'length',
  metrics: { prompt_eval_count: 900, eval_count: 99 },
});
const stoppedFor = (what: string): string[] => [
  `notice loop: Stopped: the model ${what}. Rephrase the task, or choose a larger model.`,
  '= limit',
];

const forms: [string, string][] = [
  ['Qwen and Hermes', `<tool_call>\n${readIt}\n</tool_call>\n<tool_call>\n${createIt}\n</tool_call>`],
  [
    'Qwen Coder',
    '<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>\n' +
      '<tool_call>\n<function=create_file>\n<parameter=path>\nnotes/b.txt\n</parameter>\n<parameter=content>\none\ntwo\n\n</parameter>\n</function>\n</tool_call>',
  ],
  ['Llama', `<|python_tag|>${readIt.replace('arguments', 'parameters')}; ${createIt.replace('arguments', 'parameters')}`],
  ['plain JSON', `${readIt}\n${createIt}`],
  ['Mistral', `[TOOL_CALLS][${readIt}, ${createIt}]`],
  ['Granite', `<|tool_call|>[${readIt}, ${createIt}]`],
  [
    'DeepSeek',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a.txt"}\n```<｜tool▁call▁end｜>\n' +
      '<｜tool▁call▁begin｜>function<｜tool▁sep｜>create_file\n```json\n{"path": "notes/b.txt", "content": "one\\ntwo\\n"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
];

const difficulties: Difficulty[] = [
  ...forms.map(([title, text]): Difficulty => ({
    title: `two calls printed as ${title} writes them are run`,
    isCutSmall: true,
    script: [`First both.\n\n${text}`, 'Good. [TASK_COMPLETE]'],
    seen: ['text (complete): First both.', read, ...created, ...good],
  })),
  {
    title: 'a call behind words on its line is run',
    isCutSmall: true,
    script: [`I will read it: <tool_call>${readIt}</tool_call>`, 'Good.'],
    seen: ['text (complete): I will read it:', read, ...good],
  },
  {
    title: 'a call behind words that lacks an argument is text',
    script: ['I call it: <tool_call>{"name": "read_file", "arguments": {}}</tool_call>'],
    seen: ['text (complete): I call it: <tool_call>{"name": "read_file", "arguments": {}}</tool_call>', '= done'],
  },
  {
    title: 'thinking inside thinking is not shown as an answer',
    isCutSmall: true,
    script: [`<think>Hm, <think>a file?</think> I read it.</think>\n<tool_call>${readIt}</tool_call>`, 'Good.'],
    seen: ['thinking: Hm, <think>a file?', 'thinking: I read it.', read, ...good],
  },
  {
    title: 'a call that is shown as an example is not run',
    script: [`A call looks like this:\n\n\`\`\`json\n${createIt}\n\`\`\`\n\nGood.`],
    seen: [`text (complete): A call looks like this:\n\n\`\`\`json\n${createIt}\n\`\`\`\n\nGood.`, '= done'],
  },
  {
    title: 'a call that only stands in a code block after words is not run, and is made when the model is told so',
    isCutSmall: true,
    script: [`I read it:\n\n\`\`\`json\n${readIt}\n\`\`\``, `\`\`\`json\n${readIt}\n\`\`\``, 'Good.'],
    seen: [`text (complete): I read it:\n\n\`\`\`json\n${readIt}\n\`\`\``, read, ...good],
  },
  {
    title: 'a call that was meant as an example stays one, and nobody is asked about it twice',
    script: [`Like this:\n\`\`\`\n${createIt}\n\`\`\``, `Again:\n\`\`\`\n${createIt}\n\`\`\``],
    seen: [`Like this:`, `Again:`].map((words) => `text (complete): ${words}\n\`\`\`\n${createIt}\n\`\`\``).concat('= done'),
  },
  {
    title: 'a call in a code block is shown and no more where the model says that it is done',
    // Without the `thinking` capability, the server removes the mark.
    options: { models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }] },
    script: [`Like this:\n\`\`\`\n${createIt}\n\`\`\`\n[TASK_COMPLETE]`],
    seen: [`text (complete): Like this:\n\`\`\`\n${createIt}\n\`\`\``, '= done'],
  },
  {
    title: 'a sentence that quotes a call does not run it',
    isCutSmall: true,
    script: [`You would write <tool_call>${createIt}</tool_call> for it.`],
    seen: [`text (complete): You would write <tool_call>${createIt}</tool_call> for it.`, '= done'],
  },
  {
    title: 'other names of tools and arguments, and types in quotes, are understood',
    options: { models: [native] },
    script: [
      [
        { call: { name: 'ReadFile', arguments: { file_path: 'a.txt', start_line: '1', 'end-line': 1 } } },
        { call: { name: 'functions.create_file', arguments: { filename: 'notes/b.txt', text: 'one\ntwo\n' } } },
      ],
      'Good.',
    ],
    seen: ['read_file a.txt 1–1 [done] 1 line', ...created, ...good],
  },
  {
    title: 'wrong types are told, and the call that follows is run',
    options: { models: [native] },
    script: [[{ call: { name: 'read_file', arguments: { path: ['a.txt'] } } }], `<tool_call>${readIt}</tool_call>`, 'Good.'],
    seen: ['read_file {"path":["a.txt"]} [failed] invalid arguments', read, ...good],
  },
  {
    title: 'a bracket missing at the end is put there, and said',
    script: ['<tool_call>{"name": "read_file", "arguments": {"path": "a.txt"}</tool_call>', 'Good.'],
    seen: ['read_file a.txt [done] 1 line (repaired: a "}" was missing at the end)', ...good],
  },
  {
    title: 'a call that ends in the middle of a text is not guessed at',
    script: [
      'Now.\n<tool_call>{"name": "create_file", "arguments": {"path": "notes/b.txt", "content": "one',
      `<tool_call>${createIt}</tool_call>`,
      'Good.',
    ],
    seen: ['text (complete): Now.', 'create_file {} [failed] unreadable tool call', ...created, ...good],
  },
  {
    title: 'a printed call of a tool that is not there is answered',
    script: ['<tool_call>{"name": "fly", "arguments": {"to": "moon"}}</tool_call>', 'Good.'],
    seen: ['fly {"to":"moon"} [failed] unknown tool', ...good],
  },
  {
    title: 'results that a model makes up are left out, and the real ones are sent',
    script: [`<tool_call>${readIt}</tool_call>\n<tool_response>\nbeta\n</tool_response>\nIt says beta. [TASK_COMPLETE]`, 'Good.'],
    seen: [read, ...good],
  },
  {
    // A false claim would mislead the user, so the model is challenged once.
    title: 'a claim without a call is challenged once',
    script: ['I have created notes/b.txt for you. [TASK_COMPLETE]', `<tool_call>${createIt}</tool_call>`, 'Good.'],
    seen: ['text (complete): I have created notes/b.txt for you.', ...created, ...good],
  },
  {
    title: 'the same call with the same result is nudged once and then stopped',
    script: again(9, nativeCall('read_file', { path: 'a.txt' })).slice(4),
    seen: [...again(5, read), ...stoppedFor('called read_file 5 times in a row with the same arguments and the same result')],
  },
  {
    title: 'the same call, again and again in one answer, is made once',
    script: [`<tool_call>\n${readIt}\n</tool_call>\n`.repeat(7), 'Good.'],
    seen: [read, ...again(6, 'read_file a.txt [cancelled] same call as before'), ...good],
  },
  {
    title: 'a model that says the same in every answer is nudged, and stopped when it has heard that',
    script: again(9, `<tool_call>\n${readIt}\n</tool_call>\n`.repeat(2)).slice(4),
    seen: [
      ...again(5, read, 'read_file a.txt [cancelled] same call as before'),
      ...stoppedFor('called read_file 5 times in a row with the same arguments and the same result'),
    ],
  },
  {
    title: 'calls in turn that fill one answer do not stop a run before the model was told',
    script: [again(5, wrongEdit('q1'), wrongEdit('q2')).join('\n'), 'Good.'],
    seen: [...again(10, 'replace_in_file a.txt [failed] The text to replace was not found in a.txt.'), ...good],
  },
  {
    title: 'calls that take turns are nudged once and then stopped',
    script: again(4, nativeCall('read_file', { path: 'a.txt' }), nativeCall('list_files', {})),
    seen: [
      ...again(4, read, 'list_files . [done] 1 entry'),
      ...stoppedFor('repeated the same 2 tool calls (including list_files) 4 times, with the same results'),
    ],
  },
  {
    title: 'a call that cannot be read is not repeated for ever',
    script: again(5, '<tool_call>{"name": "read_file", "arguments": {"path": "a" b}}</tool_call>'),
    seen: [
      ...again(5, 'read_file {} [failed] unreadable tool call'),
      ...stoppedFor('called read_file 5 times in a row with the same arguments and the same result'),
    ],
  },
  {
    title: 'refusal to stop: work after work ends at the limit of steps',
    options: { settings: { 'agent.maxIterations': 3 } },
    script: [1, 2, 3].map((number) => nativeCall('create_file', { path: `${number}.txt`, content: 'x\n' })),
    seen: [
      ...[1, 2, 3].flatMap((number) => [`create_file ${number}.txt [done] +1`, `  create ${number}.txt +1 -0`]),
      'notice maxIterations: Stopped after 3 steps, the limit in “Maximum steps per message”. Select Continue to go on.',
      '= limit',
    ],
  },
  {
    title: 'what a model takes for done is not, where its call failed',
    options: { models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }] },
    script: [
      `Done. [TASK_COMPLETE]\n<tool_call>${readIt.replace('a.txt', 'c.txt')}</tool_call>`,
      'There is none. [TASK_COMPLETE]',
    ],
    seen: [
      'text (complete): Done.',
      'read_file c.txt [failed] There is no file c.txt.',
      'text (complete): There is none.',
      '= done',
    ],
  },
  {
    title: 'a printed call that a limit cut off is told, not guessed at',
    options: { settings: { 'agentMode.maxTokens': 99 } },
    script: [
      cutOff('<tool_call>{"name": "create_file", "arguments": {"path": "notes/b.txt", "content": "one"'),
      `<tool_call>${createIt}</tool_call>`,
      'Good.',
    ],
    seen: ['create_file {} [failed] unreadable tool call', ...created, ...good],
  },
  {
    title: 'a limit of the model itself is gone on from like one of the settings, and called by its name',
    script: again(4, cutOff('Part.')),
    seen: [
      'text (length): Part. Part. Part. Part.',
      'notice length: The answer was cut off at the model’s own limit of 99 tokens. Select Continue for the rest, or set “maxTokens” in the settings.',
      '= limit',
    ],
  },
  {
    title: 'an answer that goes on with nothing is complete',
    options: { settings: { 'agentMode.maxTokens': 99 } },
    script: [cutOff('All of it.'), []],
    seen: ['text (length): All of it.', '= done'],
  },
  {
    title: 'a limit that fell into the thinking: the answer is asked for once, then the limit is explained',
    options: {
      models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }],
      settings: { 'agentMode.maxTokens': 99 },
    },
    script: again(2, cutOff({ thinking: 'Long.' })),
    seen: [
      'thinking: Long.',
      'thinking: Long.',
      'notice length: The answer was cut off at the limit of 99 tokens. Select Continue for the rest, or increase “maxTokens” in the settings.',
      '= limit',
    ],
  },
  {
    title: 'thinking alone, twice, is explained',
    options: { models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }] },
    script: [[{ thinking: 'Hm.' }], [{ thinking: 'Ah.' }]],
    seen: [
      'thinking: Hm.',
      'thinking: Ah.',
      'error emptyAnswer {retry, selectModel}: worker:latest returned an empty answer twice. Small models sometimes call a tool that does not exist, and the server then discards the answer. Rephrase the task or split it up, or choose a larger model.',
      '= failed',
    ],
  },
  {
    title: 'an orphan closer before a printed call makes thinking of what was before it',
    isCutSmall: true,
    script: [`I should read it.\n</think>\n\n<tool_call>${readIt}</tool_call>`, 'Good.'],
    seen: ['thinking: I should read it.', read, ...good],
  },
  {
    title: 'tags of thinking and the mark belong to a printed call that they are in',
    isCutSmall: true,
    // Without the `thinking` capability, the mark is a stop sequence.
    options: { models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }] },
    script: [
      '<tool_call>{"name": "create_file", "arguments": {"path": "notes/b.txt", "content": "<think>\\n</think> [TASK_COMPLETE]\\n"}}</tool_call>',
      'Good.',
    ],
    seen: [...created, ...good],
  },
];

describe('a difficult model', () => {
  let bench: AgentBench | undefined;
  afterEach(async () => {
    await bench?.stop();
    bench = undefined;
  });

  for (const { title, isCutSmall, options, script, seen } of difficulties) {
    for (const chunkBytes of isCutSmall ? [1, 65_536] : [65_536]) {
      it(`${title} (${chunkBytes} bytes at a time)`, async () => {
        bench = await AgentBench.start(options);
        bench.double.chunkBytes = chunkBytes;
        bench.double.script.push(...script);
        await writeFile(bench.file('a.txt'), 'alpha\n');
        const sessionId = await bench.ask('Go');
        assert.deepEqual((await bench.seen(sessionId)).slice(1), seen);
        assert.deepEqual(bench.problems, []);
        assert.deepEqual(bench.double.script, []);
      });
    }
  }

  it('on a server that penalises repetition copies what it edits exactly', async () => {
    bench = await AgentBench.start({ server: { age: '0.17.4' } });
    await writeFile(bench.file('a.txt'), 'sum += values[i];\n');
    bench.double.onChat(({ options, messages }) => {
      if (messages.at(-1)?.role === 'tool') return 'Good.';
      const copy = (options.repeat_penalty ?? 1) > 1 ? 'sum -= values[i];' : 'sum += values[i];';
      return [{ call: { name: 'replace_in_file', arguments: { path: 'a.txt', oldText: copy, newText: 'sum += 1;' } } }];
    });
    await bench.ask('Go');
    assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'sum += 1;\n');
  });

  it('that makes up results is not waited for', async () => {
    bench = await AgentBench.start();
    await writeFile(bench.file('a.txt'), 'alpha\n');
    const madeUp = `<tool_call>${readIt}</tool_call>\n<tool_response>beta`;
    bench.double.script.push([madeUp, { hold: new Promise(() => undefined) }], 'Good.');
    const sessionId = await bench.ask('Go');
    assert.deepEqual(await bench.seen(sessionId), ['you: Go', read, ...good]);
    assert.equal(bench.double.aborted.length, 1);
  });

  for (const kind of ['text', 'thinking'] as const) {
    it(`that writes the same words for ever in its ${kind} is stopped, and the server is free`, async () => {
      bench = await AgentBench.start({ models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }] });
      const again = 'The same again. ';
      const step = kind === 'text' ? again : { thinking: again };
      bench.double.script.push({
        steps: [...Array.from({ length: 2000 }, () => step), { hold: new Promise(() => undefined) }],
        unlimited: true,
      });
      const sessionId = await bench.ask('Go');
      const seen = await bench.seen(sessionId);
      assert.deepEqual(
        seen.map((line) => (line.startsWith(kind) ? line.slice(0, 40) : line)),
        [
          'you: Go',
          `${kind === 'text' ? 'text (stopped)' : 'thinking'}: ${again.repeat(3)}`.slice(0, 40),
          'notice loop: Stopped: the model kept repeating the same text. Rephrase the task, or choose a larger model.',
          '= limit',
        ],
      );
      assert.ok((seen[1]?.length ?? 0) < 5000);
      await bench.double.until(() => bench?.double.openStreams === 0);
      assert.equal(bench.double.aborted.length, 1);
    });
  }

  it('is told exactly what was wrong with a call that cannot be read, beside what it wrote', async () => {
    bench = await AgentBench.start();
    const flawed = '{"name": "create_file", "arguments": {"path": "b.txt", "content": "say "hi""}}';
    bench.double.script.push(`Now.\n<tool_call>${flawed}</tool_call>`, 'Good.');
    assert.deepEqual(await bench.seen(await bench.ask('Go')), [
      'you: Go',
      'text (complete): Now.',
      'create_file {} [failed] unreadable tool call',
      ...good,
    ]);
    const messages = bench.chats()[1]?.['messages'] as unknown[];
    assert.deepEqual(messages.slice(2), [
      { role: 'assistant', content: `Now.\n${flawed}` },
      {
        role: 'user',
        content:
          '<tool_response name="create_file">\nNothing was run, because the call cannot be read: it is not valid JSON: a "," or "}" was expected ' +
          'at line 1, column 73, but there is "hi\\"\\"}}" (after "\\", \\"content\\": \\"say \\""). Write it once more, whole and as valid JSON.\n</tool_response>',
      },
    ]);
  });

  it('whose call was dropped is told which tools there are, once', async () => {
    bench = await AgentBench.start();
    bench.double.script.push({ steps: [], metrics: { eval_count: 51 } }, 'Good.');
    assert.deepEqual(await bench.seen(await bench.ask('Go')), ['you: Go', ...good]);
    const [first, second] = bench.chats().map(({ messages }) => messages as { role: string; content: string }[]);
    assert.deepEqual(first?.slice(1), [{ role: 'user', content: 'Go' }]);
    assert.equal(second?.length, 2);
    assert.match(second?.[1]?.content ?? '', /^Go\n\n\[Nothing of your last answer arrived\. The tools are: read_file, /);
  });

  const unreadable = `error parsing tool call: raw='{"path":"a.txt"}]', err=invalid character ']' after top-level value`;
  const asLine = [{ error: unreadable }];
  const asStatus = [{ error: unreadable, status: 500 }];

  for (const [name, dropped] of [
    ['in the middle of the answer', asLine],
    ['before it', asStatus],
  ] as const) {
    it(`whose call the server cannot read, which it says ${name}, learns why and makes it again`, async () => {
      bench = await AgentBench.start();
      bench.double.script.push(
        [...dropped],
        [{ call: { name: 'create_file', arguments: { path: 'a.txt', content: 'a' } } }],
        'Good.',
      );
      const sessionId = await bench.ask('Go');
      assert.deepEqual((await bench.seen(sessionId)).slice(1), ['create_file a.txt [done] +1', '  create a.txt +1 -0', ...good]);
      const [, second, third] = bench.chats().map(({ messages }) => JSON.stringify(messages));
      assert.match(second ?? '', /the server could not read the call in your last answer: error parsing tool call: raw=/);
      assert.doesNotMatch(third ?? '', /could not read/);
    });
  }

  it('that has said or called something before such a call is not made to say it twice', async () => {
    const call = { call: { name: 'create_file', arguments: { path: 'b.txt', content: 'b' } } };
    for (const [begun, shown] of [
      ['I write it now.', ['text (incomplete): I write it now.']],
      [call, ['create_file b.txt [cancelled]']],
    ] as const) {
      bench = await AgentBench.start();
      bench.double.script.push([begun, ...asLine]);
      assert.deepEqual(await bench.seen(await bench.ask('Go')), [
        'you: Go',
        ...shown,
        'error unreadableCall {retry, selectModel}: Ollama could not read a tool call from the model. Try again. If the problem persists, choose another model.',
        '= failed',
      ]);
      assert.equal(bench.chats().length, 1);
      await bench.stop();
    }
    bench = await AgentBench.start();
  });

  it('that could be read at the second try is not told of the first one any more', async () => {
    bench = await AgentBench.start();
    bench.double.script.push([...asLine], { steps: ['Half of'], doneReason: 'length' }, ' it. [TASK_COMPLETE]');
    assert.deepEqual(await bench.seen(await bench.ask('Go')), ['you: Go', 'text (complete): Half of it.', '= done']);
    const [, second, third] = bench.chats().map(({ messages }) => JSON.stringify(messages));
    assert.match(second ?? '', /could not read/);
    assert.match(third ?? '', /Half of/);
    assert.doesNotMatch(third ?? '', /could not read/);
  });

  it('whose calls the server can never read is asked three times, and a person is told what that was', async () => {
    bench = await AgentBench.start();
    bench.double.script.push([...asLine], [...asStatus], [...asLine]);
    const sessionId = await bench.ask('Go');
    assert.deepEqual((await bench.seen(sessionId)).slice(1), [
      'error unreadableCall {retry, selectModel}: Ollama could not read a tool call from the model. Try again. If the problem persists, choose another model.',
      '= failed',
    ]);
    assert.equal(bench.chats().length, 3);
  });

  it('gets an argument of two megabytes written, whole, and is told less of it from then on', async () => {
    bench = await AgentBench.start({ models: [{ ...native, contextLength: 8192 }] });
    const content = 'A line of text with "quotes" in it.\n'.repeat(60_000);
    const printed = JSON.stringify({ name: 'create_file', arguments: { path: 'printed.txt', content } });
    bench.double.script.push(
      [{ call: { name: 'create_file', arguments: { path: 'native.txt', content } } }],
      { steps: [`<tool_call>${printed}</tool_call>`], unlimited: true },
      'Good.',
    );
    const sessionId = await bench.ask('Go');
    const room = (what: string): string =>
      `notice shortened: The context window of 8,192 tokens is nearly full. To make room, ${what} now shortened for the model. The chat still shows ${what.endsWith('is') ? 'it' : 'them'} in full.`;
    assert.deepEqual((await bench.seen(sessionId)).slice(1), [
      'create_file native.txt [done] +60000',
      '  create native.txt +60000 -0',
      room('a long tool call or result is'),
      'create_file printed.txt [done] +60000',
      '  create printed.txt +60000 -0',
      room('2 tool calls and results are'),
      ...good,
    ]);
    for (const name of ['native.txt', 'printed.txt']) assert.equal(await readFile(bench.file(name), 'utf8'), content);
    assert.ok(bench.chats().every((request, at) => at === 1 || JSON.stringify(request).length < 100_000));
  });
});
