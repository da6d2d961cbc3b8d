import * as vscode from 'vscode';
import type { ChatMode } from '../types/modes';

const names: Readonly<Record<ChatMode, () => string>> = {
  agent: () => vscode.l10n.t('Agent'),
  plan: () => vscode.l10n.t('Plan'),
  ask: () => vscode.l10n.t('Ask'),
  edit: () => vscode.l10n.t('Edit'),
};

export function modeName(mode: ChatMode): string {
  return names[mode]();
}
