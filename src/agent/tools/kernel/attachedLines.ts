import type { Entry, EntryOf } from '../../../protocol/entries';
import { splitLines } from '../../../utils/text/lines';
import { plainLineEnds } from '../../../utils/text/textFile';

/** Lines of a file that a person has selected. */
interface SelectedLines {
  /** Text of them as it was attached. */
  content: string | undefined;
  /** Lines count from 1. */
  startLine: number;
  endLine: number;
  /** Lines by which the file has grown since, by the agent's own edits. */
  growth: number;
}

/** Part of a file that may change: `'all'`, or selected lines. */
export type AttachedPart = 'all' | readonly SelectedLines[];

/**
 * Returns what of each file a person has attached in a conversation, by the path that it goes by: the lines that were selected, or all of it where it was
 * attached as a whole, or not as lines.
 */
export function attachedParts(conversation: readonly Entry[]): ReadonlyMap<string, AttachedPart> {
  const parts = new Map<string, AttachedPart>();
  const selections = new Map<string, SelectedLines[]>();
  for (const entry of conversation) {
    if (entry.type === 'file_edit') for (const lines of selections.get(entry.data.path) ?? []) lines.growth += growthOf(entry);
    if (entry.type !== 'user_input') continue;
    for (const { kind, path, startLine, endLine, content } of entry.data.attachments) {
      if (kind === 'file') parts.set(path, 'all');
      else if (kind !== 'selection' || startLine === undefined) {
        if (!parts.has(path) && !selections.has(path)) parts.set(path, 'all');
      } else {
        const lines = selections.get(path) ?? [];
        lines.push({ content, startLine, endLine: endLine ?? startLine, growth: 0 });
        selections.set(path, lines);
      }
    }
  }
  const whole = new Set(
    conversation.flatMap((entry) =>
      entry.type === 'user_input' ? entry.data.attachments.filter(({ kind }) => kind === 'file').map(({ path }) => path) : [],
    ),
  );
  for (const [path, lines] of selections) if (!whole.has(path)) parts.set(path, lines);
  return parts;
}

/** Returns the lines, from 1, that alone may change, if a change touches others; null where it does not. */
export function linesLeft(part: AttachedPart, before: string, after: string): { first: number; last: number }[] | null {
  if (part === 'all') return null;
  const [old, next] = [linesOf(before), linesOf(after)];
  const ranges = part.map((selected) => rangeOf(selected, old));
  const isWithin = ({ first, last }: { first: number; last: number }): boolean => {
    const below = old.length - last;
    return (
      next.length >= first - 1 + below &&
      isSame(old.slice(0, first - 1), next.slice(0, first - 1)) &&
      isSame(old.slice(last), next.slice(next.length - below))
    );
  };
  return ranges.some(isWithin) ? null : ranges;
}

/** Finds the selected lines in the text of now: by their words if these are there once, else by how the file has grown since. */
function rangeOf({ content, startLine, endLine, growth }: SelectedLines, lines: readonly string[]): { first: number; last: number } {
  const last = Math.min(Math.max(endLine + growth, startLine), Math.max(lines.length, 1));
  if (content === undefined || content === '') return { first: Math.min(startLine, last), last };
  const wanted = linesOf(content);
  const places = lines.flatMap((_, at) => (isSame(lines.slice(at, at + wanted.length), wanted) ? [at] : []));
  const [place] = places;
  if (places.length !== 1 || place === undefined) return { first: Math.min(startLine, last), last };
  return { first: place + 1, last: place + wanted.length };
}

function growthOf({ data }: EntryOf<'file_edit'>): number {
  return data.additions - data.deletions;
}

function linesOf(text: string): string[] {
  return splitLines(plainLineEnds(text));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}
