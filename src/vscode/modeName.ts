import * as vscode from 'vscode';
import type { ChatMode } from '../types/modes';

const names: Readonly<Record<ChatMode, () => string>> = {
  agent: () => vscode.l10n.t('Agent'),
  ask: () => vscode.l10n.t('Ask'),
};

/** Returns the name of a mode, in the person's language. */
export function modeName(mode: ChatMode): string {
  return names[mode]();
}
