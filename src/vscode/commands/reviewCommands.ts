import * as vscode from 'vscode';
import type { LineRange, ReviewHunk, UndoOutcome } from '../../services/review/reviewTypes';
import { hunkAt } from '../../services/review/reviewNavigator';
import { AppError } from '../../utils/errors';
import type { ShownReviews } from '../review/shownReviews';
import { showProblems } from '../review/undoMessages';
import { isUri, resolveRealPath } from './activeFile';
import type { Commands } from './register';

class NoChangeHereError extends AppError {
  readonly code = 'noChangeHere';
}

interface Target {
  path: string;
  id: string;
}

type Names = 'keepHunk' | 'undoHunk' | 'keepSelectedLines' | 'undoSelectedLines' | 'nextChange' | 'previousChange';

/**
 * Creates the commands for single hunks. Keyboard shortcuts, lenses, hovers, quick fixes,
 * line numbers and the editor's peek run them.
 */
export function reviewCommands(review: () => Promise<ShownReviews>): Commands<Names> {
  const onHunk = async (
    args: readonly unknown[],
    answer: (service: ShownReviews, target: Target) => Promise<UndoOutcome | void>,
  ) => {
    const service = await review();
    showProblems(await answer(service, await findTarget(service, args)));
  };
  const onLines = async (answer: (service: ShownReviews, target: Target, lines: LineRange) => Promise<UndoOutcome | void>) => {
    const service = await review();
    const { path, hunks, lines } = await selected(service);
    // Process the last hunk first, because an undo moves the hunks below it.
    for (const { id } of hunks.toReversed()) showProblems(await answer(service, { path, id }, lines));
  };
  return {
    keepHunk: (...args) => onHunk(args, (service, { path, id }) => service.keepHunk(path, id)),
    undoHunk: (...args) => onHunk(args, (service, { path, id }) => service.undoHunk(path, id)),
    keepSelectedLines: () => onLines((service, { path, id }, lines) => service.keepHunk(path, id, lines)),
    undoSelectedLines: () => onLines((service, { path, id }, lines) => service.undoHunk(path, id, lines)),
    nextChange: (...args) => step(review, 'next', args),
    previousChange: (...args) => step(review, 'previous', args),
  };
}

async function step(review: () => Promise<ShownReviews>, direction: 'next' | 'previous', args: readonly unknown[]) {
  const service = await review();
  const path = isUri(args[0]) ? await resolveRealPath(args[0]) : undefined;
  const hunk = path === undefined ? undefined : service.getState(path)?.hunks.find(({ id }) => id === args[1]);
  // A lens navigates from its own hunk, not from the cursor.
  const position = await service.navigateChange(direction, hunk && { path: hunk.path, line: hunk.range.start });
  if (position === undefined) throw new NoChangeHereError('No change', vscode.l10n.t('This chat has no pending changes.'));
}

async function findTarget(service: ShownReviews, [first, second, third]: readonly unknown[]): Promise<Target> {
  const uri = isUri(first) ? first : isAtLine(first) ? first.uri : undefined;
  const path = uri && (await resolveRealPath(uri));
  if (path !== undefined && typeof second === 'string') return { path, id: second };
  const line = isAtLine(first)
    ? first.lineNumber - 1
    : Array.isArray(second)
      ? lineOfChange(second[Number(third ?? 0)])
      : undefined;
  const state = path === undefined ? undefined : service.getState(path);
  const hunk = line === undefined ? service.hunkAt() : state && hunkAt(state, line);
  if (hunk === undefined)
    throw new NoChangeHereError(
      'No hunk here',
      vscode.l10n.t('This line has no pending change. Go to a change, then try again.'),
    );
  return { path: hunk.path, id: hunk.id };
}

/**
 * Returns the line of a change that the editor's peek passes. Lines are 1-based. For a
 * deletion, the peek passes the line before it.
 */
function lineOfChange(change: unknown): number | undefined {
  if (typeof change !== 'object' || change === null) return undefined;
  const { modifiedStartLineNumber: start, modifiedEndLineNumber: end } = change as Record<string, unknown>;
  if (typeof start !== 'number') return undefined;
  return end === 0 ? start : start - 1;
}

async function selected(service: ShownReviews): Promise<{ path: string; hunks: ReviewHunk[]; lines: LineRange }> {
  const editor = vscode.window.activeTextEditor;
  const path = editor && (await resolveRealPath(editor.document.uri));
  const state = path === undefined ? undefined : service.getState(path);
  if (editor !== undefined && path !== undefined && state !== undefined) {
    const { start, end } = editor.selection;
    // A selection that ends at the start of a line does not include that line.
    const isWhole = end.character === 0 && end.line > start.line;
    const lines = { start: start.line, end: isWhole ? end.line : end.line + 1 };
    const hunks = state.hunks.filter(
      ({ range }) => range.start < lines.end && Math.max(range.end, range.start + 1) > lines.start,
    );
    if (hunks.length > 0) return { path, hunks, lines };
  }
  throw new NoChangeHereError('Nothing selected', vscode.l10n.t('The selected lines have no pending changes.'));
}

function isAtLine(value: unknown): value is { lineNumber: number; uri: vscode.Uri } {
  return typeof value === 'object' && value !== null && 'lineNumber' in value && 'uri' in value;
}
