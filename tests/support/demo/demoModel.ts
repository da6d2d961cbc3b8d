import { OllamaDouble } from '../ollama/double';
import type { GenerationRequest, Step } from '../ollama/doubleReply';

/** Between two words, so that it looks like the typing of a quick model. Milliseconds. */
const pace = 25;

const answer = `Hello. I am the **demonstration model**: a short script that stands in for a language model because no Ollama server was found. \
Everything around me is real: the chat, the history, the tools and the approvals.

What you can try:

1. Switch to **Agent** mode and send any task. I will read \`README.md\`, create a note and run the tests, and you approve the command.
2. Reload the window. This conversation will be here again, word for word.
3. Press *Stop* while I am still writing.

To talk to a real model, install [Ollama](https://ollama.com/download), then

\`\`\`sh
ollama pull qwen3:8b
\`\`\`

and start this again.`;

/** Starts the scripted server that `npm start` falls back to. */
export async function startDemoModel(): Promise<{ url: string; close(): Promise<void> }> {
  const server = await OllamaDouble.start({
    models: [{ name: 'demo', capabilities: ['completion', 'tools', 'thinking'], contextLength: 32_768, loadDelayMs: 400 }],
  });
  server.onChat(demoReply);
  return server;
}

/** What the demonstration says next. It follows the conversation that it is sent and remembers nothing itself. */
export function demoReply({ messages, tools, think }: Pick<GenerationRequest, 'messages' | 'tools' | 'think'>): Step[] {
  if (tools.length === 0) {
    return [
      ...thought(think, 'The user says something to a demonstration. I explain what I am and what can be tried here.'),
      ...typed(answer),
    ];
  }
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(lastQuestion + 1).filter(({ role }) => role === 'tool');
  switch (results.length) {
    case 0:
      return [
        ...thought(think, 'I get an overview first: the README, then a note, then the tests.'),
        ...typed('I am the demonstration model, so I do the same three things whatever the task. First I read the README.'),
        { call: { name: 'read_file', arguments: { path: 'README.md' } } },
      ];
    case 1:
      return [
        ...typed('The README describes a shopping list with a bug in its discount. I write that down.'),
        { call: { name: 'create_file', arguments: { path: newNote(), content: noteText } } },
      ];
    case 2:
      return [
        ...typed('Now I run the tests. You decide whether I may.'),
        { call: { name: 'run_terminal_command', arguments: { command: 'node --test' } } },
      ];
    default:
      return typed(`${conclusion(results.at(-1)?.content ?? '')}\n\n[TASK_COMPLETE]`);
  }
}

/** A name that no earlier conversation has used: `create_file` refuses what exists. */
function newNote(): string {
  return `notes/${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.md`;
}

const noteText = `# What I found

\`applyDiscount\` in \`src/discount.ts\` takes \`percent\` for a fraction:
it must be divided by 100 first.
`;

function conclusion(testOutput: string): string {
  const ran = /\bfail \d|not ok|✖/.test(testOutput);
  return ran
    ? 'The tests ran and one fails, as the README says: `src/discount.ts` must divide `percent` by 100. A real model would now fix it.'
    : 'That is all that this demonstration does. The note is in the workspace; a real model would now go on with the task.';
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
