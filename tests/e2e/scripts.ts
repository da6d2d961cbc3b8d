import type { ModelSpec } from '../support/ollama/doubleModel';
import { hold, type Scripted } from '../support/ollama/doubleReply';

/** Models and replies of the scripted server in the end-to-end suites. */

export const thinker: ModelSpec = { name: 'thinker:1b', capabilities: ['completion', 'thinking'], contextLength: 32_768 };
export const worker: ModelSpec = { name: 'worker:1b', capabilities: ['completion', 'tools', 'thinking'], contextLength: 32_768 };

export const answer = [
  '## A *short* answer — naïve, 日本語, עברית, 🙂\n\n',
  'It has a list:\n\n- one\n- `two`\n\n',
  '```ts\nconst answer: number = 40 + 2;\n```\n\nand an end.',
];

export const askReply: Scripted = [{ thinking: 'First I think about it, ' }, { thinking: 'then I answer. 🤔' }, ...answer];

/** Streams some words, then waits forever, so that the user stops the run. */
export function endlessReply(): { reply: Scripted; release: () => void } {
  const pause = hold();
  return { reply: ['These words are here', ' and more would come', pause.step, ' but never do'], release: pause.release };
}

/** Agent mode: reads a file, creates a file, runs a command and reports the result. */
export const jobReplies: Scripted[] = [
  [{ thinking: 'I read it first.' }, 'I will read the file.', { call: { name: 'read_file', arguments: { path: 'README.md' } } }],
  [
    'Now the notes.',
    { call: { name: 'create_file', arguments: { path: 'notes/todo.md', content: '# To do\n\n- Buy milk 🥛\n' } } },
  ],
  [{ call: { name: 'run_terminal_command', arguments: { command: 'echo "sum: $((40 + 2))"' } } }],
  ['The file is read, the notes are written, the command printed **42**. [TASK_COMPLETE]'],
];
