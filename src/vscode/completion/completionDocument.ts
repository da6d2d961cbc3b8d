import * as vscode from 'vscode';
import type { CompletionDocument } from '../../completion/completionTypes';
import { workspacePath } from '../workspace/editorWorkspace';

/** Returns the text around a cursor with the selected item of the suggestion list inserted. */
export function completionDocument(
  document: vscode.TextDocument,
  position: vscode.Position,
  chosen?: vscode.SelectedCompletionInfo,
): CompletionDocument {
  const text = document.getText();
  const start = document.offsetAt(chosen?.range.start ?? position);
  const end = document.offsetAt(chosen?.range.end ?? position);
  return {
    uri: document.uri.toString(),
    path: document.isUntitled ? (document.uri.path.split('/').at(-1) ?? '') : workspacePath(document.uri),
    languageId: document.languageId,
    before: plain(text.slice(0, start) + (chosen?.text ?? '')),
    after: plain(text.slice(end)),
    lineCount: document.lineCount,
  };
}

export function adoptLineEnds(document: vscode.TextDocument, text: string): string {
  return document.eol === vscode.EndOfLine.CRLF ? text.replaceAll('\n', '\r\n') : text;
}

function plain(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}
