import { translatable } from '../../types/texts';

/** Slash command that inserts a prompt. `about` and `text` are in English. */
export interface PromptCommand {
  name: string;
  about: string;
  text: string;
}

/** Built-in prompts in the order of the list. */
export const promptCommands: readonly PromptCommand[] = [
  {
    name: 'explain',
    ...translatable({
      about: 'Explain the code',
      text: 'Explain how this code works, step by step, and point out anything surprising.',
    }),
  },
  {
    name: 'fix',
    ...translatable({
      about: 'Fix problems',
      text: 'Find the problems in this code and show how to fix them.',
    }),
  },
  {
    name: 'tests',
    ...translatable({
      about: 'Write tests',
      text: 'Write tests for this code, in the style of the tests that the project has.',
    }),
  },
  {
    name: 'doc',
    ...translatable({
      about: 'Document the code',
      text: 'Write documentation comments for this code.',
    }),
  },
  {
    name: 'review',
    ...translatable({
      about: 'Review the changes',
      text: 'Review the changes that are not committed yet. Name each problem with its file and line, the worst first.',
    }),
  },
  {
    name: 'security-review',
    ...translatable({
      about: 'Check security',
      text: 'Look for security problems in the changes that are not committed yet. Name each with its file, line and how it could be used.',
    }),
  },
  {
    name: 'explore',
    ...translatable({
      about: 'Explore the project',
      text: 'Explore this project: what it does, how it is built and tested, and which parts it has. Name the files.',
    }),
  },
  {
    name: 'init',
    ...translatable({
      about: 'Write AGENTS.md',
      text: 'Look at this project and write AGENTS.md for coding agents: how to build and test it, its layout and its rules. Be short.',
    }),
  },
];

/** Slash command at the start of a message, and the text after it. */
export interface WrittenCommand {
  name: string;
  rest: string;
}

/** Returns the slash command at the start of a message, or null if there is none. */
export function commandIn(message: string): WrittenCommand | null {
  const [, name, rest = ''] = /^\/([^\s/]+)(?:\s+(\S[\s\S]*))?$/.exec(message.trim()) ?? [];
  return name === undefined ? null : { name, rest };
}

/** Returns the text of a prompt, followed by the text after its command. */
export function withRest(text: string, rest: string): string {
  return rest === '' ? text : `${text}\n\n${rest}`;
}
