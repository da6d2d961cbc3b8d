import { modeRow, type ChatMode } from '../../types/modes';
import type { WireTool } from '../../types/ollama';
import { printedTools } from './printedTools';

/** Mark that a model writes when the task is complete. It is also sent as a stop sequence. */
export const completionMark = '[TASK_COMPLETE]';

export interface PromptFacts {
  mode: ChatMode;
  /** Names of the workspace folders, in order. */
  folders: readonly string[];
  hasTools: boolean;
  /** Text from `WorkspacePort.commandShell`. */
  commandShell: string;
  /** Tools that the prompt describes for a model without tool support. */
  printed?: readonly WireTool[];
  /** True for a short prompt that saves tokens. */
  isShort?: boolean;
  /** Workspace instructions, added at the end of the prompt. */
  instructions?: string;
}

/** Minimum context window in tokens for a long prompt and many tools. */
const smallWindow = 16_000;

export function isSmallWindow(tokens: number): boolean {
  return tokens < smallWindow;
}

/**
 * Builds the system prompt. The prompt is deterministic and contains nothing that changes between
 * turns, such as times or open files. A single different byte would end the reuse of the prompt cache.
 */
export function buildSystemPrompt(facts: PromptFacts): string {
  const lines = ['You are Ollama Copilot, a coding assistant inside Visual Studio Code.', workspaceLine(facts.folders)];
  const { rules } = modeRow(facts.mode);
  if (rules === 'answer') lines.push(...(facts.hasTools ? readingRules(facts) : askRules));
  else if (rules === 'plan') lines.push(...planRules(facts));
  else if (!facts.hasTools) lines.push(...noToolRules);
  else lines.push(...(rules === 'edit' ? editRules(facts) : agentRules(facts)));
  if (facts.printed && facts.printed.length > 0) lines.push(...printedTools(facts.printed));
  lines.push('Answer in the language of the user. Use Markdown; put code in fenced blocks that name their language.');
  return lines.join('\n') + (facts.instructions ?? '');
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

function readingRules(facts: PromptFacts): string[] {
  return [
    'You answer questions about code and programming. Your tools look at the files of the workspace; you cannot change files or run anything.',
    '',
    'Rules:',
    pathRule(facts),
    '- Look before you speak of what is in the workspace: search or list first if you do not know where something is. Never invent it.',
    ...(facts.isShort === true
      ? []
      : ['- A question that has nothing to do with the workspace needs no tools. Answer it at once.', failureRule]),
    '',
  ];
}

function planRules(facts: PromptFacts): string[] {
  return [
    'You plan work on the workspace. You do not do it: you cannot change files or run anything. Another run will carry out your plan.',
    '',
    'Rules:',
    ...(facts.hasTools
      ? [
          pathRule(facts),
          '- Look at what the plan is about before you write it: search, list and read. Never invent what is in a file.',
          '- If the task leaves something open that only the user can decide, ask before you plan.',
          ...(facts.isShort === true ? [] : [failureRule]),
        ]
      : []),
    '- End with the plan: a line "## Plan", then the steps as a numbered list (1. 2. 3.), each one piece of work that can be checked, with its files. Write nothing after it.',
    '- When the user wants it changed, give the whole plan again.',
    '',
  ];
}

function editRules(facts: PromptFacts): string[] {
  return [
    'You change the files that the user has attached, and no others, with the tools you are given.',
    '',
    'Rules:',
    pathRule(facts),
    '- Where lines are attached, change those lines, and others of that file only where they have to follow.',
    '- To act, call a tool. Text alone changes nothing. Make the smallest change that does what is asked.',
    '- If the user asks a question, answer it and change nothing.',
    ...(facts.isShort === true ? [] : [failureRule]),
    `- When it is done, say in a sentence what you changed and write ${completionMark}.`,
    '',
  ];
}

function agentRules(facts: PromptFacts): string[] {
  return [
    'You work on the workspace with the tools you are given, step by step, until the task of the user is done.',
    '',
    'Rules:',
    pathRule(facts),
    '- Read a file before you say anything about what is in it. Never invent the contents of a file or the output of a command.',
    `- Commands run in ${facts.commandShell}.`,
    '- To act, call a tool. Text alone changes nothing. Call only the tools you are given, with the arguments they declare.',
    ...(facts.isShort === true
      ? []
      : [
          '- If you do not know where something is, search the workspace for it or list its files. Calls that only read may be made together.',
          failureRule,
          '- The user is asked before a command runs and may decline. Then go on without it.',
        ]),
    `- When the task is done, say in a few words what you did and write ${completionMark}.`,
    '',
  ];
}

const failureRule =
  '- When a tool fails, read what it says and try something else. Do not repeat the same call with the same arguments.';

function pathRule({ folders }: PromptFacts): string {
  const several = folders.length > 1 ? ' and begin with the name of their folder' : '';
  return `- Paths are relative to the workspace${several}. Lines count from 1.`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
