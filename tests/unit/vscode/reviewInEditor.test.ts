import { editor } from '../../support/fakeEditor';
import { scm, sourceControls } from '../../support/fakeEditorTypes';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ReviewHunk } from '../../../src/services/review/reviewTypes';
import { BaseDocuments } from '../../../src/vscode/review/baseDocuments';
import { HunkHover } from '../../../src/vscode/review/hunkHover';
import { HunkLenses } from '../../../src/vscode/review/hunkLenses';

const above = 'editor.hover.above';

function hunkOf(start: number, end: number, oldLines: string[]): ReviewHunk {
  return {
    id: `${start}`,
    path: '/project/a.ts',
    range: { start, end },
    written: [{ start, end }],
    oldLines,
    newLines: [],
    additions: end - start,
    deletions: oldLines.length,
    isContested: false,
    turn: 1,
  };
}

const document = { uri: vscode.Uri.file('/project/a.ts'), languageId: 'typescript', lineCount: 200 } as vscode.TextDocument;

describe('What the editor shows of a pending change', () => {
  const short = hunkOf(10, 12, ['const old = 1;']);
  const long = hunkOf(30, 90, ['first();', 'second();']);
  const hunks = [short, long];
  const hover = new HunkHover(
    () => hunks,
    () => Promise.resolve(null),
    () => undefined,
  );
  const linesWithHover = async (): Promise<number[]> => {
    const lines: number[] = [];
    for (let line = 0; line < 100; line += 1)
      if ((await hover.provideHover(document, { line } as vscode.Position)) !== null) lines.push(line);
    return lines;
  };
  afterEach(() => editor.userSettings.delete(above));

  it('leaves the CodeLens row free of the hover, which the editor draws above the line', async () => {
    const [first = 0, ...others] = await linesWithHover();
    // The hover has ten rows and ends below the row above line 30.
    assert.ok(first >= 40 && first < 60, `the first line with a hover is ${first}`);
    assert.equal(others.at(-1), 89);
  });

  it('shows the hover on every line of a change where the editor draws it below the line', async () => {
    editor.userSettings.set(above, false);
    const lines = await linesWithHover();
    assert.deepEqual([lines[0], lines[1], lines[2], lines.length], [10, 11, 30, 62]);
  });

  it('shows the old lines on the button that brings them back', () => {
    const lenses = new HunkLenses(
      () => [short],
      () => undefined,
    ).provideCodeLenses(document);
    const undo = lenses.find(({ command }) => command?.title === 'Undo');
    assert.equal(undo?.command?.tooltip, 'Undo this change: 2 lines added, 1 removed\n\nBefore:\nconst old = 1;');
  });

  it('comes before git in the gutter, and stays behind every repository where the editor looks for the nearest one', () => {
    editor.folder = '/project';
    scm.createSourceControl('git', 'Git', { path: '/project' });
    const base = new BaseDocuments(() => []);
    base.show(true);
    assert.deepEqual(
      sourceControls.map(({ id, rootUri }) => [id, rootUri?.path]),
      [
        ['git', '/project'],
        ['ollamaCopilot', '/'],
      ],
    );
    // A repository that git opens later would be listed before ours.
    scm.createSourceControl('git', 'Git', { path: '/project/nested' });
    base.comeFirst();
    assert.deepEqual(
      sourceControls.map(({ id }) => id),
      ['git', 'git', 'ollamaCopilot'],
    );
    base.dispose();
    base.comeFirst();
    assert.deepEqual(
      sourceControls.map(({ id }) => id),
      ['git', 'git'],
    );
    sourceControls.length = 0;
    editor.folder = null;
  });
});
