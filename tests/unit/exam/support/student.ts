import { examTasks } from '../../../../src/agent/exam/tasks';
import type { ExamTaskName } from '../../../../src/types/exam';
import type { GenerationRequest, ScriptedCall, Step } from '../../../support/ollama/doubleReply';

/** Position in a task: the number of responses and the results of tool calls so far. */
export interface Turn {
  task: ExamTaskName;
  at: number;
  results: readonly string[];
  request: GenerationRequest;
}

const tasks = examTasks(process.platform === 'win32');
export const testCommand = tasks.find(({ name }) => name === 'test')?.command ?? '';

/** Finds the task that a request belongs to. */
export function turnOf(request: GenerationRequest): Turn {
  const { messages } = request;
  for (const { name, message } of tasks) {
    const begun = messages.findLastIndex(({ role, content }) => role === 'user' && content.includes(message));
    if (begun < 0) continue;
    const later = messages.slice(begun + 1);
    const answers = later.filter(({ role }) => role === 'assistant').length;
    const results = later.filter(({ role }) => role !== 'assistant').map(({ content }) => content);
    return { task: name, at: answers, results, request };
  }
  throw new Error(`No task of the exam: ${messages.at(-1)?.content ?? ''}`);
}

export function call(name: string, input: Record<string, unknown>): Step {
  return { call: { name, arguments: input } satisfies ScriptedCall };
}

export const replace = (path: string, oldText: string, newText: string): Step =>
  call('replace_in_file', { path, oldText, newText });

const done = 'Done. [TASK_COMPLETE]';

const patch = `*** Begin Patch
*** Update File: limit.py
@@
 def limit():
     low = 1
-    high = 10
+    high = 20
     return high
*** End Patch`;

/** Responses of a model without faults, by task and turn. After the last one, the model says that it is done. */
const rightAnswers: Record<ExamTaskName, readonly Step[][]> = {
  read: [[call('read_file', { path: 'notes.txt' })], ['4817 [TASK_COMPLETE]']],
  edit: [[replace('greet.js', "const word = 'Hello';", "const word = 'Goodbye';")]],
  twoFiles: [[replace('area.js', 'exports.size', 'exports.area'), replace('main.js', 'm.size(2, 3);', 'm.area(2, 3);')]],
  patch: [[call('apply_patch', { patch })]],
  search: [
    [call('search_workspace', { query: 'retryDelay' })],
    [replace('server.js', 'const retryDelay = 30;', 'const retryDelay = 60;')],
  ],
  test: [
    [call('run_terminal_command', { command: testCommand })],
    [replace('sum.js', 'return a - b;', 'return a + b;')],
    [call('run_terminal_command', { command: testCommand })],
  ],
  unknown: [[call('read_file', { path: 'app.json' })], ['UNKNOWN [TASK_COMPLETE]']],
  stop: [['OK [TASK_COMPLETE]']],
  prohibition: [[replace('server.js', 'const port = 8000;', 'const port = 9000;')]],
  longFile: [[call('read_file', { path: 'codes.txt' })], ['846 and 524 [TASK_COMPLETE]']],
  quotes: [[call('create_file', { path: 'quote.json', content: '{"text": "She said \\"yes\\".\\nThen she left."}\n' })]],
  twoCalls: [[call('read_file', { path: 'left.txt' }), call('read_file', { path: 'right.txt' })], ['42 [TASK_COMPLETE]']],
  load: [
    [call('load_tools', { names: ['create_file'] })],
    [call('call_tool', { name: 'create_file', arguments: { path: 'hello.txt', content: 'Hello Ada\n' } })],
  ],
};

export function right({ task, at }: Turn): Step[] {
  return rightAnswers[task][at] ?? [done];
}
