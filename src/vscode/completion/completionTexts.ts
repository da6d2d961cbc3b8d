import * as vscode from 'vscode';
import type { NothingBecause } from '../../completion/completionTypes';

/** Returns why nothing came, in words for a person. */
export function nothingText({ code, detail }: NothingBecause): string {
  const { t } = vscode.l10n;
  switch (code) {
    case 'closed':
      return closedText(detail);
    case 'noModel':
      return t('No model is chosen for suggestions.');
    case 'chatRuns':
      return t('A chat works with this model, so suggestions wait. On demand they come.');
    case 'empty':
      return t('The model had nothing to add here.');
    case 'dropped':
      return t('What the model wrote could not be used here.');
    case 'list':
      return t('The list of words is open.');
    case 'language':
      return t('Suggestions are switched off for this language.');
    case 'comment':
      return t('Suggestions are switched off in comments.');
    case 'snoozed':
      return t('Snoozed.');
    case 'off':
      return t('Switched off. On demand they come.');
    default:
      return detail ?? t('The model cannot be used for suggestions.');
  }
}

function closedText(because: string | undefined): string {
  const { t } = vscode.l10n;
  if (because === 'secret') return t('This file may hold secrets, so nothing is read of it.');
  if (because === 'ignored') return t('Git ignores this file, so nothing is read of it.');
  if (because === 'outside') return t('This file is outside the workspace, so nothing is read of it.');
  return t('The workspace is not trusted, so nothing is read of it.');
}
