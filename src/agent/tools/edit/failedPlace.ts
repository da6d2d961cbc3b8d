import { plainLineEnds } from '../../../utils/text/textFile';
import type { EditAids } from '../../kernel/modelAids';
import type { ToolContext, ToolResult } from '../kernel/tool';
import { failuresUntilLineEdits, lineEdits } from './editHistory';
import { nearestLines } from './textMatch';

/** Lines that are shown above and below a place. */
const around = 8;
const mostLines = 200;
/** Lines of a file that is shown as a whole. */
const smallFile = 60;
const mostPlaces = 3;

/** Part of a text with the numbers of its lines, from 1. */
interface Region {
  text: string;
  startLine: number;
  endLine: number;
}

/** Returns the lines of a text from `first` to `last` (from 1, both of them too) with their numbers. */
export function numberedLines(lines: readonly string[], first: number, last: number): Region {
  const [startLine, endLine] = [Math.max(1, first), Math.min(lines.length, last, Math.max(1, first) + mostLines - 1)];
  const text = lines.slice(startLine - 1, endLine).map((line, index) => `${startLine + index}: ${line}`);
  return { text: text.join('\n'), startLine, endLine };
}

/** Edit of a file that found no place. `places`: first lines, from 1, where there are several. */
interface NotPlaced {
  shown: string;
  text: string;
  asked: readonly string[];
  places?: readonly number[];
  aids: EditAids;
}

/**
 * Adds to what an edit says that found no place what the file has there now, in full, from the second failure in a row on.
 */
export function withCurrentText(
  problem: string,
  { shown, text, asked, places = [], aids }: NotPlaced,
  { edits }: Pick<ToolContext, 'edits'>,
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
    content.push(`You can now call ${lineEdits} with path, startLine, endLine and newText: it replaces lines by these numbers.`);
  return { content: content.join('\n'), lines: { startLine: first.startLine, endLine: first.endLine } };
}

function regionsOf(lines: readonly string[], asked: readonly string[], places: readonly number[]): Region[] {
  if (lines.length <= smallFile) return [numberedLines(lines, 1, lines.length)];
  const nearest = nearestLines(lines, asked)[0]?.line;
  const starts = places.length > 0 ? places.slice(0, mostPlaces) : nearest === undefined ? [] : [nearest];
  return starts.map((start) => numberedLines(lines, start - around, start + asked.length - 1 + around));
}

/** Returns the result of an edit whose place was not found in one file. */
export function notPlaced(problem: string, about: NotPlaced, context: Pick<ToolContext, 'edits'>): ToolResult {
  const { content, lines } = withCurrentText(problem, about, context);
  return { status: 'error', content, details: { path: about.shown, notFoundIn: about.shown, ...lines } };
}
