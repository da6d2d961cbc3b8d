import * as vscode from 'vscode';
import type { NoSuggestion } from '../../completion/completionTypes';

/** Explains why there is no suggestion. */
export function nothingText({ code, detail }: NoSuggestion): string {
  const { t } = vscode.l10n;
  switch (code) {
    case 'closed':
      return closedText(detail);
    case 'noModel':
      return t('No model is selected for suggestions.');
    case 'chatRuns':
      return t('A chat is using this model, so automatic suggestions wait. You can still request a suggestion.');
    case 'empty':
      return t('The model had no suggestion here.');
    case 'dropped':
      return t('The model’s suggestion could not be used here.');
    case 'list':
      return t('The IntelliSense list is open.');
    case 'language':
      return t('Suggestions are turned off for this language.');
    case 'comment':
      return t('Suggestions are turned off in comments.');
    case 'snoozed':
      return t('Suggestions are snoozed.');
    case 'off':
      return t('Automatic suggestions are turned off. You can still request a suggestion.');
    default:
      return detail ?? t('The model cannot be used for suggestions.');
  }
}

function closedText(because: string | undefined): string {
  const { t } = vscode.l10n;
  if (because === 'secret') return t('This file may contain secrets, so it is not read.');
  if (because === 'ignored') return t('Git ignores this file, so it is not read.');
  if (because === 'outside') return t('This file is outside the workspace, so it is not read.');
  return t('The workspace is not trusted, so its files are not read.');
}
