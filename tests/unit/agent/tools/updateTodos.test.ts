import assert from 'node:assert/strict';
import { updateTodosTool } from '../../../../src/agent/tools/ask/updateTodos';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import type { Todo } from '../../../../src/protocol/todos';
import { ToolBench } from '../support/toolBench';

describe('update_todos', () => {
  const tool = updateTodosTool();
  const run = async (input: Record<string, unknown>): Promise<ToolResult> => {
    const bench = await ToolBench.start();
    try {
      return await bench.run(tool, input);
    } finally {
      await bench.stop();
    }
  };
  const wanted: Todo[] = [
    { text: 'Read the form', state: 'completed' },
    { text: 'Write the test', state: 'in_progress' },
    { text: 'Run it', state: 'pending' },
  ];

  it('sets the whole list and tells it back', async () => {
    const todos = [
      { content: 'Read the form', status: 'completed' },
      { content: ' Write  the\ntest ', status: 'in_progress' },
      { content: 'Run it', status: 'pending' },
    ];
    assert.deepEqual(await run({ todos }), {
      status: 'success',
      content: 'The todo list is now:\n[x] Read the form\n[>] Write the test\n[ ] Run it',
      summary: '1 of 3 done',
      todos: wanted,
    });
    assert.equal(tool.label({ todos }), '1 of 3 done');
  });

  const shapes: [string, Record<string, unknown>][] = [
    [
      'other names and states',
      {
        items: [
          { title: 'Read the form', status: 'Done' },
          { task: 'Write the test', state: 'in-progress' },
          { text: 'Run it', status: 'not started' },
        ],
      },
    ],
    [
      'JSON in a text',
      {
        todos:
          '[{"content":"Read the form","status":"completed"},{"content":"Write the test","status":"doing"},{"content":"Run it"}]',
      },
    ],
    [
      'entries as JSON text among others',
      {
        todos: [
          '{"content": "Read the form", "status": "completed"}',
          { content: 'Write the test', status: 'doing' },
          "{'content': 'Run it', 'status': 'pending'}",
        ],
      },
    ],
    [
      'Python in a text',
      {
        todos:
          "[{'content': 'Read the form', 'status': 'done'}, {'content': 'Write the test', 'status': 'doing'}, {'content': 'Run it'}]",
      },
    ],
    [
      'one JSON object per line',
      {
        todos: '{"content":"Read the form","status":"done"}\n{"content":"Write the test","status":"doing"}\n{"content":"Run it"}',
      },
    ],
    ['a list inside an object', { todos: { items: ['[x] Read the form', '[>] Write the test', 'Run it'] } }],
    ['a list to tick off', { todos: '- [x] Read the form\n- [>] Write the test\n- [ ] Run it' }],
    ['numbered lines', { tasks: ['1. [X] Read the form', '2. [~] Write the test', '3) Run it'] }],
    [
      'yes and no',
      {
        todo_list: [
          { description: 'Read the form', done: true },
          { name: 'Write the test', status: 'active' },
          { step: 'Run it', done: false },
        ],
      },
    ],
  ];
  for (const [what, input] of shapes) {
    it(`understands ${what}`, async () => {
      assert.deepEqual((await run(input)).todos, wanted);
    });
  }

  it('may be empty', async () => {
    assert.deepEqual(await run({ todos: [] }), {
      status: 'success',
      content: 'The todo list is empty now.',
      summary: 'empty',
      todos: [],
    });
  });

  it('says what is wrong with what it cannot understand, and changes nothing', async () => {
    for (const [input, problem] of [
      [{}, /"todos" is missing/],
      [{ todos: 7 }, /"todos" must be an array, but it is the number 7/],
      [{ todos: [{ status: 'done' }] }, /"todos\.0\.content"/],
      [{ todos: [{ content: 'x', status: 'perhaps' }] }, /"todos\.0\.status"/],
    ] as const) {
      const prepared = tool.prepare(input);
      assert.equal(prepared.isValid, false);
      if (!prepared.isValid) assert.match(prepared.problem, problem);
    }
    const many = await run({ todos: Array.from({ length: 51 }, (_, index) => `step ${index}`) });
    assert.deepEqual([many.status, many.todos], ['error', undefined]);
  });
});
