import * as vscode from 'vscode';
import type { SessionController } from '../../agent/loop/sessionController';
import type { AttachmentReader } from '../../agent/prompt/attachmentReader';
import { AppError } from '../../utils/errors';
import { selectionItem } from '../editorItems';

class NoSelectionError extends AppError {
  readonly code = 'noSelection';
}

export interface EditSelectionServices {
  attachments: Pick<AttachmentReader, 'check' | 'read'>;
  controller: Pick<SessionController, 'send' | 'stop' | 'runState' | 'onDidChangeRunState'>;
  /** Brings a session to the front, so that its changes are drawn in the editor. */
  show: (sessionId: string) => Promise<void>;
}

/**
 * Sends the selected lines in Edit mode, in a new session, with what the person wants of them. Resolves when the run is over; Cancel stops it.
 * Does nothing without words, or where the person declines to send the file. `given` are the words, where a keybinding brings them.
 */
export async function editSelection(given: unknown, { attachments, controller, show }: EditSelectionServices): Promise<void> {
  const item = selectionItem();
  if (item === null) throw new NoSelectionError('No selection', vscode.l10n.t('Select the lines to edit, then try again.'));
  const wanted = typeof given === 'string' ? given : await askWhatToChange();
  if (wanted === undefined || wanted.trim() === '') return;
  const allowed = await attachments.check(item);
  if (allowed === null) return;
  const read = await attachments.read(allowed);
  const { sessionId } = await controller.send({ sessionId: null, text: wanted, mode: 'edit', model: null, attachments: [read] });
  await show(sessionId);
  const title = vscode.l10n.t('Editing the selection');
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  await vscode.window.withProgress(options, async (_, token) => {
    token.onCancellationRequested(() => void controller.stop(sessionId));
    await runOver(controller, sessionId);
  });
}

function askWhatToChange(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Edit Selection'),
    prompt: vscode.l10n.t('What should change in the selected lines?'),
    ignoreFocusOut: true,
  });
}

/** Resolves when a session has no run in this window; at once where it has ended already. */
async function runOver(controller: EditSelectionServices['controller'], sessionId: string): Promise<void> {
  const isOver = (state: string) => state !== 'running' && state !== 'queued';
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const subscription = controller.onDidChangeRunState((run) => {
    if (run.sessionId === sessionId && isOver(run.state)) end();
  });
  try {
    if (!isOver((await controller.runState(sessionId)).state)) await ended;
  } finally {
    await subscription.dispose();
  }
}
