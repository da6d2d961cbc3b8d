import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { HunkDecorations } from '../../../src/vscode/review/hunkDecorations';

type Options = vscode.DecorationRenderOptions;

/** Returns the decorations for changed lines and changed words in a theme of this kind. */
function looksIn(kind: vscode.ColorThemeKind): Options[] {
  const created: Options[] = [];
  Object.assign(vscode.window, {
    activeColorTheme: { kind },
    createTextEditorDecorationType: (options: Options) => (created.push(options), { dispose: () => undefined }),
  });
  const icon = vscode.Uri.file('/arrow.svg');
  new HunkDecorations({ light: icon, dark: icon }).dispose();
  return created.slice(0, 2);
}

const { HighContrast, HighContrastLight, Dark, Light } = vscode.ColorThemeKind;
const green = new vscode.ThemeColor('diffEditor.insertedTextBorder');

describe('The colours of changed lines', () => {
  it('are borders on all sides in high-contrast themes, whose backgrounds are transparent', () => {
    for (const kind of [HighContrast, HighContrastLight]) {
      const borders = looksIn(kind).map(({ borderWidth, borderStyle, borderColor }) => [borderWidth, borderStyle, borderColor]);
      assert.deepEqual(borders, [
        ['1px 1px 1px 3px', 'solid', green],
        ['1px', 'dashed', green],
      ]);
    }
  });

  it('are backgrounds alone in other themes', () => {
    for (const kind of [Dark, Light])
      for (const { borderWidth, backgroundColor } of looksIn(kind)) {
        assert.equal(borderWidth, undefined);
        assert.ok(backgroundColor instanceof vscode.ThemeColor);
      }
  });
});
