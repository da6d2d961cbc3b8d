import { callTool } from '../../../types/loadedTools';
import { editsBetween } from '../../../utils/text/editedBytes';
import { diffLines } from '../../../utils/text/lineDiff';
import { splitEditorLines } from '../../../utils/text/lineEdits';
import { movedPlace } from '../../../utils/text/rebasedText';
import { plainLineEnds } from '../../../utils/text/textFile';
import type { EditAids } from '../../kernel/modelAids';
import type { Phrase } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import type { ToolContext, FailedResult } from '../kernel/tool';
import { failuresUntilLineEdits, lineEdits } from './editHistory';
import { nearestLines } from './textMatch';

/** Number of context lines above and below a match. */
const contextLines = 8;
const mostLines = 200;
/** Maximum number of lines in a file that is shown as a whole. */
const smallFile = 60;
const mostPlaces = 3;

/** Numbered part of a text. Line numbers start at 1. */
interface Region {
  text: string;
  startLine: number;
  endLine: number;
}

/** Returns the lines from `first` to `last` with their numbers. Both are included and count from 1. */
export function numberedLines(lines: readonly string[], first: number, last: number): Region {
  const startLine = Math.max(1, first);
  const endLine = Math.min(lines.length, last, Math.max(1, first) + mostLines - 1);
  const text = lines.slice(startLine - 1, endLine).map((line, index) => `${startLine + index}: ${line}`);
  return { text: text.join('\n'), startLine, endLine };
}

/** Edit whose text was not found, or was found several times. `places` contains the first line of each match, counted from 1. */
interface NotPlaced {
  shown: string;
  text: string;
  asked: readonly string[];
  places?: readonly number[];
  aids: EditAids;
}

type FailedIn = Pick<ToolContext, 'edits'> & Partial<Pick<ToolContext, 'offers'>>;

/** Adds the current text of the file to the problem, from the second consecutive failure on. */
export function withCurrentText(
  problem: string,
  { shown, text, asked, places = [], aids }: NotPlaced,
  { edits, offers }: FailedIn,
): { content: string; lines: Pick<Region, 'startLine' | 'endLine'> | Record<string, never> } {
  const failures = edits?.failures(shown) ?? 0;
  if (failures === 0 || !aids.nearestLines) return { content: problem, lines: {} };
  const lines = plainLineEnds(text).replace(/\n$/, '').split('\n');
  const regions = findRegions(lines, asked, places);
  const [first] = regions;
  if (first === undefined) return { content: problem, lines: {} };
  const content = [
    problem,
    `This is failure ${failures + 1} in a row in ${shown}. Its current text there, with line numbers that are no part of it:`,
    joined(regions),
  ];
  if (failures + 1 >= failuresUntilLineEdits && edits?.hasLineEdits === true)
    content.push(`${lineEditsOffer(offers?.(callTool) === true)}: it replaces lines by these numbers.`);
  return { content: content.join('\n'), lines: { startLine: first.startLine, endLine: first.endLine } };
}

/** Returns the offer to edit by line number. The server drops calls to undeclared tools, so these calls need `call_tool`. */
function lineEditsOffer(isLoaded: boolean): string {
  return isLoaded
    ? `You can now call ${callTool} with name "${lineEdits}" and arguments {path, startLine, endLine, newText}`
    : `You can now call ${lineEdits} with path, startLine, endLine and newText`;
}

/** Joins the texts of regions with a separator. */
export function joined(regions: readonly Region[]): string {
  return regions.map(({ text }) => text).join('\n…\n');
}

function findRegions(lines: readonly string[], asked: readonly string[], places: readonly number[]): Region[] {
  if (lines.length <= smallFile) return [numberedLines(lines, 1, lines.length)];
  const nearest = nearestLines(lines, asked)[0]?.line;
  const starts = places.length > 0 ? places.slice(0, mostPlaces) : nearest === undefined ? [] : [nearest];
  return starts.map((start) => numberedLines(lines, start - contextLines, start + asked.length - 1 + contextLines));
}

/** Returns the numbered lines of `now` where a change from `base` to `wanted` belongs. `now` is the current text. */
export function placesNow(base: string, wanted: string, now: string): Region[] {
  const [lines, present, changed] = [base, now, wanted].map((text) => splitEditorLines(plainLineEnds(text))) as [
    string[],
    string[],
    string[],
  ];
  // The last element is empty if the text ends with a line break.
  const shown = present.at(-1) === '' ? present.slice(0, -1) : present;
  const others = diffLines(lines, present);
  return editsBetween(lines, changed)
    .slice(0, mostPlaces)
    .map(({ start, end }) => {
      const first = movedPlace(others, start);
      const last = movedPlace(others, end, true);
      return numberedLines(shown, first + 1 - contextLines, last + contextLines);
    });
}

/** Returns the result of an edit whose text was not found at a unique position. */
export function placeNotFound({ local, english }: Phrase, about: NotPlaced, context: FailedIn): FailedResult {
  const { content, lines } = withCurrentText(english, about, context);
  return { ...failure({ local, english: content }), details: { path: about.shown, notFoundIn: about.shown, ...lines } };
}
