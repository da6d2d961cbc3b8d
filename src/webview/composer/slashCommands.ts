import { t } from '../translate';

export type SlashAction = 'new' | 'model' | 'history' | 'settings' | 'compact';

/** A command that is chosen with `/`: one that writes a request about what is attached, or one that does something. */
export type SlashCommand =
  | { name: string; about: string; kind: 'prompt'; text: string }
  | { name: string; about: string; kind: 'action'; action: SlashAction }
  /** Prompt of an MCP server, which the extension asks for. */
  | { name: string; about: string; kind: 'server'; server: string; prompt: string };

export function slashCommands(): SlashCommand[] {
  return [
    {
      ...{ name: 'explain', kind: 'prompt', about: t('Explain the code') },
      text: t('Explain how this code works, step by step, and point out anything surprising.'),
    },
    {
      ...{ name: 'fix', kind: 'prompt', about: t('Correct what is wrong') },
      text: t('Find the problems in this code and show how to fix them.'),
    },
    {
      ...{ name: 'tests', kind: 'prompt', about: t('Write tests') },
      text: t('Write tests for this code, in the style of the tests that the project has.'),
    },
    {
      ...{ name: 'doc', kind: 'prompt', about: t('Document the code') },
      text: t('Write documentation comments for this code.'),
    },
    {
      ...{ name: 'review', kind: 'prompt', about: t('Review the changes') },
      text: t('Review the changes that are not committed yet. Name each problem with its file and line, the worst first.'),
    },
    {
      ...{ name: 'security-review', kind: 'prompt', about: t('Review the changes for security') },
      text: t(
        'Look for security problems in the changes that are not committed yet. Name each with its file, line and how it could be used.',
      ),
    },
    {
      ...{ name: 'explore', kind: 'prompt', about: t('Get to know the project') },
      text: t('Explore this project: what it does, how it is built and tested, and which parts it has. Name the files.'),
    },
    {
      ...{ name: 'init', kind: 'prompt', about: t('Write AGENTS.md') },
      text: t(
        'Look at this project and write AGENTS.md for coding agents: how to build and test it, its layout and its rules. Be short.',
      ),
    },
    { name: 'new', kind: 'action', action: 'new', about: t('Start a new chat') },
    { name: 'compact', kind: 'action', action: 'compact', about: t('Summarise earlier messages to make room') },
    { name: 'model', kind: 'action', action: 'model', about: t('Choose the model') },
    { name: 'history', kind: 'action', action: 'history', about: t('Open an earlier chat') },
    { name: 'settings', kind: 'action', action: 'settings', about: t('Open the settings') },
  ];
}

/** Returns the commands, and `more` behind them, that `draft` is the beginning of; empty if it is no command being typed. */
export function matchingCommands(draft: string, more: readonly SlashCommand[] = []): SlashCommand[] {
  const typed = /^\/([\w-]*)$/.exec(draft)?.[1]?.toLowerCase();
  return typed === undefined ? [] : [...slashCommands(), ...more].filter(({ name }) => name.toLowerCase().startsWith(typed));
}

/** Expands a draft that is a command, or begins with one and goes on: the request takes the command's place. Others stay as they are. */
export function expandCommand(draft: string): string {
  const [, name, rest] = /^\/([\w-]+)(?:\s+(\S[\s\S]*))?$/.exec(draft.trim()) ?? [];
  const command = slashCommands().find((one) => one.name === name);
  if (command?.kind !== 'prompt') return draft;
  return rest === undefined ? command.text : `${command.text}\n\n${rest}`;
}

/** Returns the request that a command of the editor makes. */
export function promptText(name: 'explain' | 'fix'): string {
  const command = slashCommands().find((one) => one.name === name);
  return command?.kind === 'prompt' ? command.text : '';
}
