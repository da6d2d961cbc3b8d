import * as vscode from 'vscode';
import type { Entry } from '../../protocol/entries';
import type { RunState } from '../../protocol/webviewEvents';
import type { MessageChanges } from '../../services/review/reviewSessionBuilder';
import { formatCounts } from '../review/hunkLenses';
import type { InlineStage } from './inlineThread';

/** Returns the line of the thread that says how far the message is. */
export function describeStage(stage: InlineStage, { state, activity }: RunState, pending: MessageChanges | null): string {
  if (pending !== null) return formatCounts(pending);
  if (stage !== 'running') return stage === 'failed' ? vscode.l10n.t('Failed') : '';
  if (activity?.kind === 'waitingForApproval') return vscode.l10n.t('Waiting for your approval in the chat');
  return state === 'queued' ? vscode.l10n.t('Waiting for another chat') : vscode.l10n.t('Working…');
}

/** Returns the text of the model without code that is already in the file. */
export function answerText(turn: readonly Entry[]): string {
  const said = turn.filter((entry) => entry.type === 'assistant_output' && entry.data.isThinking !== true);
  const text = said.map(({ content }) => content).join('\n\n');
  const isWritten = turn.some(({ type }) => type === 'file_edit');
  return (isWritten ? text.replaceAll(/^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1[ \t]*$/gm, '') : text).trim();
}
