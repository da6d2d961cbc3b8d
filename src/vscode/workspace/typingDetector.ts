import * as vscode from 'vscode';

/** Maximum number of characters that the user may have typed since the editor last reported the cursor. */
const mostUnreported = 2;

/** Detects changes by the user: changes at a cursor, undo and redo. Other changes come from programs, such as formatters. */
export class TypingDetector {
  /** End positions of the texts typed last. The editor reports these positions as cursor positions later. */
  private ends: vscode.Position[] = [];

  isTyped({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): boolean {
    const cursors = vscode.window.visibleTextEditors
      .filter((editor) => editor.document === document)
      .flatMap((editor) => editor.selections.map(({ active }) => active));
    const isTyped =
      reason !== undefined ||
      contentChanges.every(({ range }) => [...this.ends, ...cursors].some((cursor) => isAt(range, cursor)));
    this.ends = isTyped
      ? contentChanges.map(({ rangeOffset, text }) => document.positionAt(rangeOffset + text.length))
      : this.ends.map((end) => contentChanges.reduce(moved, end));
    return isTyped;
  }
}

function isAt(range: vscode.Range, cursor: vscode.Position): boolean {
  const ahead = range.start.line === cursor.line ? range.start.character - cursor.character : -1;
  return range.contains(cursor) || (ahead >= 0 && ahead <= mostUnreported);
}

/** Returns a position after lines above it have changed. */
function moved(place: vscode.Position, { range, text }: vscode.TextDocumentContentChangeEvent): vscode.Position {
  if (range.end.line > place.line || range.end.isAfter(place)) return place;
  return place.translate(text.split('\n').length - 1 - (range.end.line - range.start.line));
}
