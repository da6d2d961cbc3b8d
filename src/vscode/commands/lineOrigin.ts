import path from 'node:path';
import * as vscode from 'vscode';
import type { BlamedLines } from '../../services/checkpoint/engine/manifests/blame';
import type { EngineClient } from '../../services/checkpoint/host/engineClient';
import { AppError } from '../../utils/errors';
import { isInside } from '../../utils/files/isInside';
import { resolveRealPath } from './activeFile';
import { shortened } from '../../types/cutText';

class NoLineError extends AppError {
  readonly code = 'noLine';
}

/** Maximum length in characters of the message text to show. */
const mostWords = 160;

/** Shows which message changed the line at the cursor. If no message did, shows that the line is older than the checkpoints. */
export async function tellWhoWroteThisLine(
  engine: Pick<EngineClient, 'checkpoints'>,
  folders: readonly { path: string }[],
): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const file = editor && (await resolveRealPath(editor.document.uri));
  const folder = folders.find((one) => file !== undefined && isInside(file, one.path));
  if (editor === undefined || file === undefined || folder === undefined)
    throw new NoLineError('No line', vscode.l10n.t('Open a file in the workspace, go to a line, then try again.'));
  const relative = path.relative(folder.path, file).split(path.sep).join('/');
  const blame = await engine.checkpoints.blame(folder.path, relative, null);
  if (blame === null) throw new NoLineError('No text', vscode.l10n.t('This file is too large or is not a text file.'));
  const line = editor.selection.active.line;
  const origin = blame.lines.find(({ start, count }) => start <= line && line < start + count)?.origin ?? null;
  void vscode.window.showInformationMessage(originText(origin, blame.isComplete, editor.document.isDirty));
}

function originText(origin: BlamedLines['origin'], isComplete: boolean, isDirty: boolean): string {
  const unsaved = isDirty ? ` ${vscode.l10n.t('The file has unsaved changes. This result applies to the saved file.')}` : '';
  if (origin === null) {
    const older = isComplete
      ? vscode.l10n.t('This line is older than the checkpoints of this workspace.')
      : vscode.l10n.t(
          'The author of this line was not found in time. The line is older than the checkpoints that were searched.',
        );
    return older + unsaved;
  }
  const words = origin.message?.content.replace(/\s+/g, ' ').trim() ?? '';
  const message = shortened(words, mostWords);
  if (!origin.isByAgent)
    return (
      (message === ''
        ? vscode.l10n.t('You or a command wrote this line.')
        : vscode.l10n.t('You or a command wrote this line after the message “{0}”.', message)) + unsaved
    );
  return (
    (message === ''
      ? vscode.l10n.t('The agent wrote this line.')
      : vscode.l10n.t('The agent wrote this line for the message “{0}”.', message)) + unsaved
  );
}
