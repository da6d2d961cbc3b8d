import * as vscode from 'vscode';
import type { Disposable } from '../../utils/disposable';
import type { ReviewHunk } from '../../services/review/reviewTypes';
import { newWords } from '../../utils/text/wordDiff';

interface Looks {
  added: vscode.TextEditorDecorationType;
  words: vscode.TextEditorDecorationType;
  /** Marks a position where lines were only deleted. */
  removed: vscode.TextEditorDecorationType;
  current: vscode.TextEditorDecorationType;
}

/** Maximum number of hunks with word diffs. An editor does not show more hunks at once. */
const mostCompared = 200;

export class HunkDecorations implements Disposable {
  private looks: Looks;
  private readonly drawn = new Set<vscode.TextEditor>();
  private readonly words = new WeakMap<ReviewHunk, ReturnType<typeof newWords>>();

  constructor(private readonly arrow: { light: vscode.Uri; dark: vscode.Uri }) {
    this.looks = this.createLooks();
  }

  /** Renders the hunks of a document in an editor. `currentId` is the hunk with the arrow. */
  draw(editor: vscode.TextEditor, hunks: readonly ReviewHunk[], currentId: string | null): void {
    const { added, words, removed, current } = this.looks;
    const { document } = editor;
    const isDrawn = hunks.length > 0;
    if (!isDrawn && !this.drawn.has(editor)) return;
    const lines = hunks.flatMap(({ written }) => written);
    editor.setDecorations(
      added,
      lines.map(({ start, end }) => new vscode.Range(start, 0, end - 1, 0)),
    );
    editor.setDecorations(
      removed,
      hunks.filter((hunk) => hunk.written.length === 0).map(({ range }) => lineAt(document, range.start)),
    );
    editor.setDecorations(
      words,
      hunks.slice(0, mostCompared).flatMap((hunk) => this.findWords(document, hunk)),
    );
    editor.setDecorations(
      current,
      hunks.filter(({ id }) => id === currentId).map(({ range }) => lineAt(document, range.start)),
    );
    if (isDrawn) this.drawn.add(editor);
    else this.drawn.delete(editor);
  }

  /** Recreates the decoration types, because high-contrast themes need borders. The caller redraws the editors. */
  themeChanged(): void {
    this.disposeLooks();
    this.looks = this.createLooks();
  }

  retain(visible: readonly vscode.TextEditor[]): void {
    for (const editor of this.drawn) if (!visible.includes(editor)) this.drawn.delete(editor);
  }

  dispose(): void {
    this.disposeLooks();
    this.drawn.clear();
  }

  private findWords(document: vscode.TextDocument, hunk: ReviewHunk): vscode.Range[] {
    let found = this.words.get(hunk);
    if (found === undefined) {
      found = newWords(hunk.oldLines, hunk.newLines);
      this.words.set(hunk, found);
    }
    const lines = hunk.written.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index));
    return found.flatMap(({ line, start, end }) => {
      const at = lines[line];
      // The user may have edited the line in the meantime.
      if (at === undefined || at >= document.lineCount || document.lineAt(at).text !== hunk.newLines[line]) return [];
      return [new vscode.Range(at, start, at, end)];
    });
  }

  private createLooks(): Looks {
    const { kind } = vscode.window.activeColorTheme;
    const isContrast = kind === vscode.ColorThemeKind.HighContrast || kind === vscode.ColorThemeKind.HighContrastLight;
    const colour = (id: string) => new vscode.ThemeColor(id);
    const ruler = { overviewRulerLane: vscode.OverviewRulerLane.Center };
    return {
      added: vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: colour('diffEditor.insertedLineBackground'),
        overviewRulerColor: colour('editorOverviewRuler.addedForeground'),
        ...ruler,
        ...(isContrast && {
          // Use borders on all sides, as in VS Code's diffs, because backgrounds are transparent in these themes.
          borderWidth: '1px 1px 1px 3px',
          borderStyle: 'solid',
          borderColor: colour('diffEditor.insertedTextBorder'),
        }),
      }),
      words: vscode.window.createTextEditorDecorationType(
        isContrast
          ? { borderWidth: '1px', borderStyle: 'dashed', borderColor: colour('diffEditor.insertedTextBorder') }
          : { backgroundColor: colour('diffEditor.insertedTextBackground'), borderRadius: '2px' },
      ),
      removed: vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        borderWidth: '2px 0 0 0',
        borderStyle: 'dashed',
        borderColor: colour('editorGutter.deletedBackground'),
        overviewRulerColor: colour('editorOverviewRuler.deletedForeground'),
        ...ruler,
      }),
      current: vscode.window.createTextEditorDecorationType({
        light: { gutterIconPath: this.arrow.light },
        dark: { gutterIconPath: this.arrow.dark },
        gutterIconSize: 'contain',
      }),
    };
  }

  private disposeLooks(): void {
    for (const look of Object.values(this.looks) as vscode.TextEditorDecorationType[]) look.dispose();
  }
}

/** Returns the range of a line. The end of the text counts as the last line. */
function lineAt(document: vscode.TextDocument, line: number): vscode.Range {
  const at = Math.min(line, document.lineCount - 1);
  return new vscode.Range(at, 0, at, 0);
}
