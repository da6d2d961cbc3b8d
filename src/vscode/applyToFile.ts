import * as vscode from 'vscode';
import { codeLines, findCodePlace, pathNamedIn } from '../utils/text/codePlace';
import { CannotApplyError, type CodeProposals } from './codeProposals';
import { workspaceUri } from './workspace/editorWorkspace';

/**
 * Proposes a code block as a change to a file. Uses the file that the first line of the block names,
 * otherwise the active file. The block replaces the selection, or the matching lines if nothing is
 * selected. Rejects if there is no unique location.
 */
export async function applyToFile(code: string, proposals: Pick<CodeProposals, 'show'>): Promise<void> {
  const document = await chooseTarget(code);
  await proposals.show({ document, ...placeIn(document, code) });
}

async function chooseTarget(code: string): Promise<vscode.TextDocument> {
  const named = pathNamedIn(code);
  const uri = named === null ? undefined : workspaceUri(named);
  if (uri !== undefined) {
    const document = await vscode.workspace.openTextDocument(uri).then(
      (found) => found,
      () => null,
    );
    if (document !== null) return document;
  }
  const editor = vscode.window.activeTextEditor;
  if (editor) return editor.document;
  throw new CannotApplyError(
    'No text editor',
    vscode.l10n.t('No text editor is open. Open the file that the code belongs to, then try again.'),
  );
}

function placeIn(document: vscode.TextDocument, code: string): { range: vscode.Range; text: string } {
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  const file = document.getText().split(/\r?\n/);
  const breaks = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  if (editor && !editor.selection.isEmpty) {
    const isWhole = editor.selection.end.character === 0;
    const text = codeLines(code, file).join(breaks);
    return { range: editor.selection, text: isWhole ? text + breaks : text };
  }
  const place = findCodePlace(file, code);
  if (place === null) {
    const name = vscode.workspace.asRelativePath(document.uri);
    throw new CannotApplyError(
      `No place in ${name}`,
      vscode.l10n.t('Could not find where to apply the code in {0}. Select the lines to replace, then try again.', name),
    );
  }
  const { from, to, lines } = place;
  const isAtEnd = to === file.length;
  const end = isAtEnd ? document.lineAt(document.lineCount - 1).range.end : document.lineAt(to - 1).range.end;
  return { range: new vscode.Range(new vscode.Position(from, 0), end), text: lines.join(breaks) };
}
