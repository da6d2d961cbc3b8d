import { OllamaDouble } from '../ollama/double';
import type { ModelSpec } from '../ollama/doubleModel';
import type { GenerationRequest, Step } from '../ollama/doubleReply';

/** Milliseconds between two words, which looks like a fast model. */
const pace = 25;

const answer = `Hello. I am the **demonstration model**: a short script that stands in for a language model because no Ollama server was found. \
Everything around me is real: the chat, the history, the tools and the approvals.

What you can try:

1. Switch to **Agent** mode and send any task. I read the sample project, fix its bug, write a note in a new file and ask to run the tests.
2. Review the changed files above the message box: keep one file, undo the other, and revert that answer.
3. Reload the window. This conversation is restored word for word.
4. Press *Stop* while I am still writing.

To talk to a real model, install [Ollama](https://ollama.com/download), then

\`\`\`sh
ollama pull qwen3:8b
\`\`\`

and start this again.`;

export const demoModel: ModelSpec = {
  name: 'demo',
  capabilities: ['completion', 'tools', 'thinking'],
  contextLength: 32_768,
  loadDelayMs: 400,
};

/** Starts the scripted server that `npm start` falls back to. */
export async function startDemoModel(): Promise<{ url: string; close(): Promise<void> }> {
  const server = await OllamaDouble.start({ models: [demoModel] });
  server.onChat(demoReply);
  return server;
}

/** Returns the next reply of the demonstration. It depends only on the conversation in the request, not on stored state. */
export function demoReply({ messages, tools, think }: Pick<GenerationRequest, 'messages' | 'tools' | 'think'>): Step[] {
  if (!tools.some((tool) => tool.function.name === 'replace_in_file')) {
    return [
      ...thought(think, 'The user says something to a demonstration. I explain what I am and what can be tried here.'),
      ...typed(answer),
    ];
  }
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(lastQuestion + 1).filter(({ role }) => role === 'tool');
  const isDone = (name: string): boolean => results.some(({ tool_name: tool }) => tool === name);
  if (!isDone('read_file')) {
    return [
      ...thought(
        think,
        'One test of the sample project fails. I read the code and the tests, fix the bug, write a note and run the tests.',
      ),
      ...typed('I am the demonstration model, so I do the same for every task. First, I read the code and its tests.'),
      call('read_file', { path: 'src/discount.js' }),
      call('read_file', { path: 'tests/shoppingList.test.js' }),
    ];
  }
  const isFixed = results.some(({ content }) => content.includes(fixed));
  if (!isDone('replace_in_file') && !isFixed) {
    return [
      ...typed('A discount of 10 takes off ten times the price: the percentage is not divided by 100. I’ll fix that.'),
      call('replace_in_file', { path: 'src/discount.js', oldText: '1 - percent', newText: fixed }),
    ];
  }
  if (!isDone('create_file')) {
    return [
      ...typed(isFixed ? 'The discount is already correct. I only write a note.' : 'I’ll write a note about the bug.'),
      call('create_file', { path: newNote(), content: noteText }),
    ];
  }
  if (!isDone('run_terminal_command')) {
    return [...typed('Do you want me to run the tests?'), call('run_terminal_command', { command: 'node --test' })];
  }
  return typed(`${conclusion(results.at(-1)?.content ?? '')} ${closing}\n\n[TASK_COMPLETE]`);
}

const fixed = '1 - percent / 100';

function call(name: string, input: Record<string, unknown>): Step {
  return { call: { name, arguments: input } };
}

/** Returns a name that no earlier conversation has used, because `create_file` rejects existing files. */
function newNote(): string {
  return `notes/fix-${new Date().toISOString().slice(11, 23).replaceAll(/[:.]/g, '')}.md`;
}

const noteText = `# What was wrong

\`applyDiscount\` in \`src/discount.js\` used \`percent\` as a fraction.
It is now divided by 100.
`;

const closing =
  'My changes are listed above the message box: keep one file, undo the other. A real model does this with your own tasks.';

function conclusion(testOutput: string): string {
  if (/\bfail [1-9]|not ok|✖/.test(testOutput)) return 'Some tests fail.';
  if (/\bpass [1-9]/.test(testOutput)) return 'The tests pass.';
  return 'The tests did not run, so the result is unknown.';
}

function thought(think: boolean, text: string): Step[] {
  return think ? words(text).flatMap((word) => [{ thinking: word }, { wait: pace }]) : [];
}

function typed(text: string): Step[] {
  return words(text).flatMap((word) => [word, { wait: pace }]);
}

function words(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}
