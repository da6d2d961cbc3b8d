import * as vscode from 'vscode';
import { formatNumber } from '../../types/format';
import type { Disposable } from '../../utils/disposable';
import type { ReviewHunk } from '../../services/review/reviewTypes';

export type HunksOf = (document: vscode.TextDocument) => readonly ReviewHunk[];

/** Maximum number of old lines in a tooltip. The peek shows all lines. */
const mostLines = 10;

/**
 * Shows Keep and Undo above each hunk. On the first line, also shows them for the whole file. If only another
 * chat changed the file, shows a link to that chat.
 */
export class HunkLenses implements vscode.CodeLensProvider, Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    private readonly hunksOf: HunksOf,
    /** Returns the session of another chat that changed a file. */
    private readonly otherChat: (document: vscode.TextDocument) => string | undefined,
  ) {}

  refresh(): void {
    this.changed.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const hunks = this.hunksOf(document);
    if (hunks.length === 0) return this.otherChatLens(document);
    const file = [document.uri];
    const lens = (line: number, title: string, tooltip: string, command: string, args: unknown[]): vscode.CodeLens => {
      const at = Math.min(line, document.lineCount - 1);
      return new vscode.CodeLens(new vscode.Range(at, 0, at, 0), {
        title,
        tooltip,
        command: `ollamaCopilot.${command}`,
        arguments: args,
      });
    };
    const all = vscode.l10n.t(
      hunks.length === 1 ? '{0} change in this file' : '{0} changes in this file',
      formatNumber(hunks.length),
    );
    return [
      lens(0, vscode.l10n.t('Keep file'), vscode.l10n.t('Keep: {0}', all), 'keepFile', file),
      lens(0, vscode.l10n.t('Undo file'), vscode.l10n.t('Undo: {0}', all), 'undoFile', file),
      ...hunks.flatMap((hunk) => {
        const { id, range } = hunk;
        const startLine = range.start;
        const what = formatCounts(hunk);
        return [
          lens(startLine, vscode.l10n.t('Keep'), vscode.l10n.t('Keep this change: {0}', what), 'keepHunk', [document.uri, id]),
          lens(startLine, vscode.l10n.t('Undo'), undoText(hunk, what), 'undoHunk', [document.uri, id]),
          lens(startLine, '↑', vscode.l10n.t('Previous change'), 'previousChange', [document.uri, id]),
          lens(startLine, '↓', vscode.l10n.t('Next change'), 'nextChange', [document.uri, id]),
        ];
      }),
    ];
  }

  private otherChatLens(document: vscode.TextDocument): vscode.CodeLens[] {
    const sessionId = this.otherChat(document);
    if (sessionId === undefined) return [];
    const title = vscode.l10n.t('Open the chat that changed this file');
    const command = { title, command: 'ollamaCopilot.openChat', arguments: [sessionId] };
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
  }

  dispose(): void {
    this.changed.dispose();
  }
}

function undoText({ oldLines }: ReviewHunk, what: string): string {
  const undo = vscode.l10n.t('Undo this change: {0}', what);
  if (oldLines.length === 0) return undo;
  const shown = oldLines.slice(0, mostLines).join('\n');
  return `${undo}\n\n${vscode.l10n.t('Before:')}\n${shown}${oldLines.length > mostLines ? '\n…' : ''}`;
}

export function formatCounts({ additions, deletions }: Pick<ReviewHunk, 'additions' | 'deletions'>): string {
  const more = vscode.l10n.t(additions === 1 ? '{0} line added' : '{0} lines added', formatNumber(additions));
  const less = vscode.l10n.t('{0} removed', formatNumber(deletions));
  return vscode.l10n.t('{0}, {1}', more, less);
}
