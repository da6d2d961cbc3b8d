import * as vscode from 'vscode';
import { AppError } from '../utils/errors';

class CannotInsertError extends AppError {
  readonly code = 'cannotInsert';
}

/** Replaces the selection of the active editor, as one undo step. */
export async function insertAtCursor(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    throw new CannotInsertError(
      'No text editor',
      vscode.l10n.t('No text editor is open. Open a file, place the cursor where you want to insert the code, then try again.'),
    );
  }
  const { document, selections } = editor;
  const { version } = document;
  const isDone = await editor.edit((edit) => {
    for (const selection of selections) edit.replace(selection, text);
  });
  // A read-only editor returns true for an edit but does not apply it.
  if (!isDone || document.version === version) {
    const name = vscode.workspace.asRelativePath(document.uri);
    throw new CannotInsertError(
      `Not inserted: ${name}`,
      vscode.l10n.t('The code was not inserted because {0} cannot be edited.', name),
    );
  }
  await vscode.window.showTextDocument(document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active });
}
