import * as vscode from 'vscode';
import { AppError } from '../utils/errors';

class CannotInsertError extends AppError {
  readonly code = 'cannotInsert';
}

/** Puts text in place of what is selected in the active text editor, as one step to undo, and goes there. */
export async function insertAtCursor(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    throw new CannotInsertError(
      'No text editor',
      vscode.l10n.t('No text editor is open. Open a file, put the cursor where the code should go, then try again.'),
    );
  }
  const { document, selections } = editor;
  const { version } = document;
  const isDone = await editor.edit((edit) => {
    for (const selection of selections) edit.replace(selection, text);
  });
  // A read-only editor takes an edit and does nothing with it.
  if (!isDone || document.version === version) {
    const name = vscode.workspace.asRelativePath(document.uri);
    throw new CannotInsertError(`Not inserted: ${name}`, vscode.l10n.t('{0} cannot be changed, so nothing was inserted.', name));
  }
  await vscode.window.showTextDocument(document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active });
}
