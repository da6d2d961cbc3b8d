import { callTool } from '../../../types/loadedTools';
import { plainLineEnds } from '../../../utils/text/textFile';
import type { EditAids } from '../../kernel/modelAids';
import type { ToolContext, ToolResult } from '../kernel/tool';
import { failuresUntilLineEdits, lineEdits } from './editHistory';
import { nearestLines } from './textMatch';

/** Number of context lines above and below a place. */
const contextLines = 8;
const mostLines = 200;
/** Maximum lines of a file that is shown whole. */
const smallFile = 60;
const mostPlaces = 3;

/** Numbered part of a text; lines count from 1. */
interface Region {
  text: string;
  startLine: number;
  endLine: number;
}

/** Returns lines `first` to `last` (from 1, inclusive) with their numbers. */
export function numberedLines(lines: readonly string[], first: number, last: number): Region {
  const [startLine, endLine] = [Math.max(1, first), Math.min(lines.length, last, Math.max(1, first) + mostLines - 1)];
  const text = lines.slice(startLine - 1, endLine).map((line, index) => `${startLine + index}: ${line}`);
  return { text: text.join('\n'), startLine, endLine };
}

/** Edit whose text was not found. `places`: first lines, from 1, if it was found several times. */
interface NotPlaced {
  shown: string;
  text: string;
  asked: readonly string[];
  places?: readonly number[];
  aids: EditAids;
}

type FailedIn = Pick<ToolContext, 'edits'> & Partial<Pick<ToolContext, 'offers'>>;

/** From the second consecutive failure on, adds the current text of the file at the place. */
export function withCurrentText(
  problem: string,
  { shown, text, asked, places = [], aids }: NotPlaced,
  { edits, offers }: FailedIn,
): { content: string; lines: Pick<Region, 'startLine' | 'endLine'> | Record<string, never> } {
  const failures = edits?.failures(shown) ?? 0;
  if (failures === 0 || !aids.nearestLines) return { content: problem, lines: {} };
  const lines = plainLineEnds(text).replace(/\n$/, '').split('\n');
  const regions = regionsOf(lines, asked, places);
  const [first] = regions;
  if (first === undefined) return { content: problem, lines: {} };
  const content = [
    problem,
    `This is failure ${failures + 1} in a row in ${shown}. Its current text there, with line numbers that are no part of it:`,
    regions.map((region) => region.text).join('\n…\n'),
  ];
  if (failures + 1 >= failuresUntilLineEdits && edits?.hasLineEdits === true)
    content.push(`${lineEditsOffer(offers?.(callTool) === true)}: it replaces lines by these numbers.`);
  return { content: content.join('\n'), lines: { startLine: first.startLine, endLine: first.endLine } };
}

/** Servers drop calls of tools that the request does not declare, so such a call has to go through `call_tool`. */
function lineEditsOffer(isLoaded: boolean): string {
  return isLoaded
    ? `You can now call ${callTool} with name "${lineEdits}" and arguments {path, startLine, endLine, newText}`
    : `You can now call ${lineEdits} with path, startLine, endLine and newText`;
}

function regionsOf(lines: readonly string[], asked: readonly string[], places: readonly number[]): Region[] {
  if (lines.length <= smallFile) return [numberedLines(lines, 1, lines.length)];
  const nearest = nearestLines(lines, asked)[0]?.line;
  const starts = places.length > 0 ? places.slice(0, mostPlaces) : nearest === undefined ? [] : [nearest];
  return starts.map((start) => numberedLines(lines, start - contextLines, start + asked.length - 1 + contextLines));
}

/** Returns the result of an edit whose place was not found. */
export function placeNotFound(problem: string, about: NotPlaced, context: FailedIn): ToolResult {
  const { content, lines } = withCurrentText(problem, about, context);
  return { status: 'error', content, details: { path: about.shown, notFoundIn: about.shown, ...lines } };
}
