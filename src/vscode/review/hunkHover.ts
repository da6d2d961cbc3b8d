import * as vscode from 'vscode';
import { formatNumber } from '../../types/format';
import { hunkAt } from '../../services/review/reviewNavigator';
import type { HunksOf } from './hunkLenses';
import type { AnsweredMessage } from '../../services/database/log/logQueries';
import type { ReviewHunk } from '../../services/review/reviewTypes';
import { shortened } from '../../types/cutText';

/** Maximum number of old lines in a hover. The diff shows all lines. */
const mostLines = 10;
/** Height in lines of the other parts of a hover: heading, message, links and spacing. */
const otherRows = 8;
/** Maximum length in characters of the message in a hover. */
const mostWords = 200;

const commands = ['keepHunk', 'undoHunk', 'openFileDiff', 'openChat'].map((name) => `ollamaCopilot.${name}`);

export type OriginOf = (hunk: ReviewHunk) => Promise<AnsweredMessage | null>;

export class HunkHover implements vscode.HoverProvider {
  constructor(
    private readonly hunksOf: HunksOf,
    private readonly originOf: OriginOf,
    /** Returns another chat with changes in a file, or undefined. */
    private readonly otherChat: (document: vscode.TextDocument) => string | undefined,
  ) {}

  async provideHover(document: vscode.TextDocument, { line }: vscode.Position): Promise<vscode.Hover | null> {
    const hunk = hunkAt({ hunks: this.hunksOf(document) }, line);
    const other = this.otherChat(document);
    const text = new vscode.MarkdownString('', true);
    text.isTrusted = { enabledCommands: commands };
    if (other !== undefined && (hunk !== undefined || line === 0)) {
      const open = commandLink(vscode.l10n.t('Open that chat'), 'openChat', other);
      text.appendMarkdown(`${vscode.l10n.t('Another chat has pending changes in this file.')} ${open}\n\n`);
      if (hunk === undefined) return new vscode.Hover(text);
    }
    if (hunk === undefined || !leavesLensesFree(hunk, line)) return null;
    if (hunk.oldLines.length === 0) text.appendMarkdown(`${vscode.l10n.t('New lines')}\n\n`);
    else this.addOldLines(text, hunk.oldLines, document.languageId);
    const origin = await this.originOf(hunk);
    if (origin !== null) {
      const message = plain(oneLine(origin.message));
      const from =
        origin.model === null
          ? vscode.l10n.t('For: {0}', message)
          : vscode.l10n.t('{1}, in response to: {0}', message, plain(origin.model));
      text.appendMarkdown(`${from}\n\n`);
    }
    const { scheme, authority, path } = document.uri;
    const uri = { scheme, authority, path };
    text.appendMarkdown(
      [
        commandLink(`$(check) ${vscode.l10n.t('Keep')}`, 'keepHunk', uri, hunk.id),
        commandLink(`$(discard) ${vscode.l10n.t('Undo')}`, 'undoHunk', uri, hunk.id),
        commandLink(`$(diff-single) ${vscode.l10n.t('Compare with original')}`, 'openFileDiff', uri),
      ].join(' &nbsp; '),
    );
    const { start, end } = hunk.range;
    const last = Math.max(start, end - 1);
    return new vscode.Hover(text, new vscode.Range(start, 0, last, Number.MAX_SAFE_INTEGER));
  }

  private addOldLines(text: vscode.MarkdownString, lines: readonly string[], language: string): void {
    text.appendMarkdown(`${vscode.l10n.t('Before:')}\n\n`);
    text.appendCodeblock(lines.slice(0, mostLines).join('\n'), language);
    const more = lines.length - mostLines;
    if (more > 0)
      text.appendMarkdown(
        `${vscode.l10n.t(more === 1 ? '… and {0} more line' : '… and {0} more lines', formatNumber(more))}\n\n`,
      );
  }
}

/**
 * Returns true if a hover does not cover the CodeLens row of its hunk. VS Code shows hovers above the line unless
 * `editor.hover.above` is off. Extensions cannot choose the position.
 */
function leavesLensesFree({ range, oldLines }: ReviewHunk, line: number): boolean {
  if (!vscode.workspace.getConfiguration('editor').get('hover.above', true)) return true;
  return line - range.start >= otherRows + Math.min(oldLines.length, mostLines);
}

/** Escapes text for a hover, so that it contains no Markdown, links or icons. */
function plain(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`*_{}[\]()#+\-.!>|~:@]/g, '\\$&')
    .replace(/\$/g, '&#36;');
}

function commandLink(title: string, command: string, ...args: unknown[]): string {
  return `[${title}](command:ollamaCopilot.${command}?${encodeURIComponent(JSON.stringify(args))})`;
}

function oneLine(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return shortened(line, mostWords);
}
