import type { ChatMode } from '../types/session';

/** What a model writes when the task is done; also sent as a stop sequence. */
export const completionMark = '[TASK_COMPLETE]';

export interface PromptFacts {
  mode: ChatMode;
  /** Names of the workspace's folders, in their order. */
  folders: readonly string[];
  hasTools: boolean;
}

/**
 * The system prompt. The same facts always give the same bytes, and nothing that changes between turns (times, open files)
 * is in it: the server's cached prefix ends at the first byte that differs.
 */
export function buildSystemPrompt(facts: PromptFacts): string {
  const lines = ['You are Ollama Copilot, a coding assistant inside Visual Studio Code.', workspaceLine(facts.folders)];
  if (facts.mode === 'ask') lines.push(...askRules);
  else if (facts.hasTools) lines.push(...agentRules(facts.folders.length > 1));
  else lines.push(...noToolRules);
  lines.push('Answer in the language of the user. Use Markdown; put code in fenced blocks that name their language.');
  return lines.join('\n');
}

function workspaceLine(folders: readonly string[]): string {
  if (folders.length === 0) return 'No folder is open.';
  return folders.length === 1
    ? `The open workspace folder is "${folders[0] ?? ''}".`
    : `The open workspace folders are ${quoted(folders)}.`;
}

const askRules = [
  'You answer questions about code and programming. You have no tools: you cannot read files or run anything.',
  'If you need to see a file, ask the user to paste it. Never claim to have read or changed something.',
];

const noToolRules = [
  'No tools are available, so you cannot read files, change files or run commands. Explain what the user can do instead.',
  `When you have answered, write ${completionMark}.`,
];

function agentRules(hasSeveralFolders: boolean): string[] {
  return [
    'You work on the workspace with the tools you are given, step by step, until the task of the user is done.',
    '',
    'Rules:',
    `- Paths are relative to the workspace${hasSeveralFolders ? ' and begin with the name of their folder' : ''}. Lines count from 1.`,
    '- Read a file before you say anything about what is in it. Never invent the contents of a file or the output of a command.',
    '- To act, call a tool. Text alone changes nothing. Call only the tools you are given, with the arguments they declare.',
    '- When a tool fails, read what it says and try something else. Do not repeat the same call with the same arguments.',
    '- The user is asked before a command runs and may decline. Then go on without it.',
    `- When the task is done, say in a few words what you did and write ${completionMark}.`,
    '',
  ];
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
