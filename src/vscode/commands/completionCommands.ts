import * as vscode from 'vscode';
import type { Settings } from '../../config/settings';
import { saveForCommand } from '../settingsSource';
import type { Commands } from './register';

type CompletionCommand = 'toggleAutoComplete' | 'snoozeCompletions' | 'acceptCompletionWord' | 'acceptCompletionLine';
type NextEditCommand = 'acceptNextEdit' | 'dismissNextEdit';

const snoozeMs = 5 * 60_000;

export function completionCommands(
  settings: Pick<Settings, 'getCompletionConfig'>,
  completions: () => Promise<{ snooze(ms: number): void; nextEdit: { accept(): Promise<void>; clear(): void } }>,
): Commands<CompletionCommand | NextEditCommand> {
  const accept = (part: string) => vscode.commands.executeCommand(`editor.action.inlineSuggest.${part}`);
  return {
    toggleAutoComplete: () => {
      const wanted = !settings.getCompletionConfig().isAutomatic;
      return saveForCommand('enableAutoComplete', wanted, () => settings.getCompletionConfig().isAutomatic === wanted);
    },
    snoozeCompletions: async () => {
      (await completions()).snooze(snoozeMs);
      await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    },
    acceptNextEdit: async () => (await completions()).nextEdit.accept(),
    dismissNextEdit: async () => (await completions()).nextEdit.clear(),
    acceptCompletionWord: () => accept('acceptNextWord'),
    acceptCompletionLine: () => accept('acceptNextLine'),
  };
}
