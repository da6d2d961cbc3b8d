import { commandIn, promptCommands, withRest } from '../../../protocol/text/promptCommands';
import { t, translated } from '../../translate';

export type SlashAction = 'new' | 'model' | 'history' | 'settings' | 'compact';

/** Slash command, which inserts a prompt or runs an action. */
export type SlashCommand =
  | { name: string; about: string; kind: 'prompt'; text: string }
  | { name: string; about: string; kind: 'action'; action: SlashAction }
  /** Prompt of an MCP server. The extension reads its text. */
  | { name: string; about: string; kind: 'server'; server: string; prompt: string };

export function slashCommands(): SlashCommand[] {
  return [
    ...promptCommands.map(({ name, about, text }) => ({
      name,
      kind: 'prompt' as const,
      about: translated(about),
      text: translated(text),
    })),
    { name: 'new', kind: 'action', action: 'new', about: t('Start a new chat') },
    { name: 'compact', kind: 'action', action: 'compact', about: t('Summarize the chat') },
    { name: 'model', kind: 'action', action: 'model', about: t('Choose the model') },
    { name: 'history', kind: 'action', action: 'history', about: t('Open an earlier chat') },
    { name: 'settings', kind: 'action', action: 'settings', about: t('Open the settings') },
  ];
}

/**
 * Returns the built-in commands that start with the draft, then matching commands of
 * `more`. Empty if the draft is not a command.
 */
export function matchingCommands(draft: string, more: readonly SlashCommand[] = []): SlashCommand[] {
  const typed = /^\/([\w-]*)$/.exec(draft)?.[1]?.toLowerCase();
  return typed === undefined ? [] : [...slashCommands(), ...more].filter(({ name }) => name.toLowerCase().startsWith(typed));
}

/** Replaces a command at the start of a draft with its prompt. Returns other drafts unchanged. */
export function expandCommand(draft: string): string {
  const written = commandIn(draft);
  const command = slashCommands().find(({ name }) => name === written?.name);
  return written === null || command?.kind !== 'prompt' ? draft : withRest(command.text, written.rest);
}

export function promptText(name: 'explain' | 'fix'): string {
  const command = slashCommands().find((one) => one.name === name);
  return command?.kind === 'prompt' ? command.text : '';
}
