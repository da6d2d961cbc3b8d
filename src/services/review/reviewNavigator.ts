import type { ReviewEditor } from './reviewPorts';
import type { FileReviewState, ReviewHunk, ReviewPlace, ReviewPosition } from './reviewTypes';

/** Position in the navigation: a hunk, or a file that can only be kept or undone as a whole. */
interface Stop {
  file: FileReviewState;
  hunk: ReviewHunk | undefined;
}

/** Moves through the changes of a review in the editor. */
export abstract class ReviewNavigation {
  protected abstract readonly editor: Pick<ReviewEditor, 'cursor' | 'show'>;

  /** Returns the reviewed files in order. */
  protected abstract states(): readonly FileReviewState[];

  abstract getState(path: string): FileReviewState | undefined;

  /** Opens a file at its first hunk. */
  async openFileReview(path: string): Promise<ReviewPosition | undefined> {
    const state = this.getState(path);
    return state && this.goTo({ path, line: state.hunks[0]?.range.start ?? 0 });
  }

  /** Shows the next or previous change relative to the cursor, including changes in other files. */
  async navigateChange(
    direction: 'next' | 'previous',
    from: ReviewPlace | undefined = this.editor.cursor(),
  ): Promise<ReviewPosition | undefined> {
    const place = changeBeside(this.states(), from, direction);
    return place && this.goTo(place);
  }

  getChangePosition(at: ReviewPlace | undefined = this.editor.cursor()): ReviewPosition | undefined {
    const states = this.states();
    return states.length === 0 ? undefined : positionAt(states, at);
  }

  private async goTo(place: ReviewPlace): Promise<ReviewPosition | undefined> {
    await this.editor.show(place);
    return this.getChangePosition(place);
  }
}

/** Returns the start of the next or previous change. Continues in other files and wraps around at the ends. */
export function changeBeside(
  files: readonly FileReviewState[],
  from: ReviewPlace | undefined,
  direction: 'next' | 'previous',
): ReviewPlace | undefined {
  const stops = listStops(files);
  const here = from && files.findIndex(({ path }) => path === from.path);
  const found =
    from === undefined || here === undefined || here < 0
      ? direction === 'next'
        ? stops[0]
        : stops.at(-1)
      : stopBeside(stops, from, direction);
  return found && { path: found.file.path, line: stopLine(found) };
}

/** Returns the change at a position. Between two hunks, the result contains no hunk. */
export function positionAt(files: readonly FileReviewState[], at: ReviewPlace | undefined): ReviewPosition {
  const stops = listStops(files);
  const file = at && files.find(({ path }) => path === at.path);
  const hunk = at && file && hunkAt(file, at.line);
  const index = file ? stops.findIndex((stop) => stop.file === file && (file.hunks.length === 0 || stop.hunk === hunk)) : -1;
  const counted = hunk ?? (index < 0 ? undefined : file);
  return {
    current: index + 1,
    total: stops.length,
    path: file?.path ?? null,
    shown: file?.shown ?? null,
    hunkId: hunk?.id ?? null,
    additions: counted?.additions ?? 0,
    deletions: counted?.deletions ?? 0,
  };
}

/** Returns the hunk that contains a line. A hunk that only deletes lines belongs to the line after them. */
export function hunkAt({ hunks }: { hunks: readonly ReviewHunk[] }, line: number): ReviewHunk | undefined {
  return hunks.find(({ range: { start, end } }) => start <= line && line < Math.max(end, start + 1));
}

function listStops(files: readonly FileReviewState[]): Stop[] {
  return files.flatMap((file): Stop[] => {
    return file.hunks.length === 0 ? [{ file, hunk: undefined }] : file.hunks.map((hunk) => ({ file, hunk }));
  });
}

function stopBeside(stops: readonly Stop[], from: ReviewPlace, direction: 'next' | 'previous'): Stop | undefined {
  const isHere = ({ file }: Stop) => file.path === from.path;
  const here = stops.filter(isHere);
  if (direction === 'next') {
    const inFile = here.find(({ hunk }) => hunk !== undefined && hunk.range.start > from.line);
    return inFile ?? stops[(stops.findLastIndex(isHere) + 1) % stops.length];
  }
  const inFile = here.findLast(({ hunk }) => hunk !== undefined && Math.max(hunk.range.end - 1, hunk.range.start) < from.line);
  return inFile ?? stops.at(stops.findIndex(isHere) - 1);
}

function stopLine({ hunk }: Stop): number {
  return hunk?.range.start ?? 0;
}
