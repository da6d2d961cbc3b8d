import type { Entry, EntryOf } from '../../../protocol/entries';
import { plainLineEnds } from '../../../utils/text/textFile';

interface SelectedLines {
  /** Text of the lines when the user attached them. */
  content: string | undefined;
  /** First line, counted from 1. */
  startLine: number;
  endLine: number;
  /** Number of lines that the agent's edits have added to the file since then. */
  growth: number;
}

export type AttachedPart = 'all' | readonly SelectedLines[];

/**
 * Returns the attached part of each file in a conversation, by path. The part is
 * the selected lines, or `'all'` if the whole file or no lines were attached.
 */
export function attachedParts(conversation: readonly Entry[]): ReadonlyMap<string, AttachedPart> {
  const parts = new Map<string, 'all' | SelectedLines[]>();
  const whole = new Set<string>();
  for (const entry of conversation) {
    if (entry.type === 'file_edit') {
      const lines = parts.get(entry.data.path) ?? 'all';
      if (lines !== 'all') for (const one of lines) one.growth += countGrowth(entry);
    }
    if (entry.type !== 'user_input') continue;
    for (const { kind, path, startLine, endLine, content } of entry.data.attachments) {
      if (kind === 'agent' || kind === 'image') continue;
      const known = parts.get(path);
      const lines = known === undefined || known === 'all' ? [] : known;
      if (kind === 'file') whole.add(path);
      if (kind === 'selection' && startLine !== undefined)
        parts.set(path, [...lines, { content, startLine, endLine: endLine ?? startLine, growth: 0 }]);
      else if (known === undefined) parts.set(path, 'all');
    }
  }
  for (const path of whole) parts.set(path, 'all');
  return parts;
}

/** Returns the lines that may change, counted from 1, if a change also touches other lines. Otherwise returns null. */
export function allowedLines(part: AttachedPart, before: string, after: string): { first: number; last: number }[] | null {
  if (part === 'all') return null;
  const old = splitLines(before);
  const next = splitLines(after);
  const ranges = part.map((selected) => findRange(selected, old));
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

/** Returns the current lines of the last selection, counted from 1. */
export function lastAttachedLines(part: readonly SelectedLines[], text: string): { first: number; last: number } {
  return findRange(part.at(-1) ?? { content: undefined, startLine: 1, endLine: 1, growth: 0 }, splitLines(text));
}

/** Finds the selected lines in the current text, either by unique text or by the growth of the file. */
function findRange(
  { content, startLine, endLine, growth }: SelectedLines,
  lines: readonly string[],
): { first: number; last: number } {
  const last = Math.min(Math.max(endLine + growth, startLine), Math.max(lines.length, 1));
  if (content === undefined || content === '') return { first: Math.min(startLine, last), last };
  const wanted = splitLines(content);
  const begins = lines.flatMap((line, at) => (line === wanted[0] ? [at] : []));
  const places = begins.filter((at) => wanted.every((line, index) => lines[at + index] === line));
  const [place] = places;
  if (places.length !== 1 || place === undefined) return { first: Math.min(startLine, last), last };
  return { first: place + 1, last: place + wanted.length };
}

function countGrowth({ data }: EntryOf<'file_edit'>): number {
  return data.additions - data.deletions;
}

function splitLines(text: string): string[] {
  return plainLineEnds(text).replace(/\n$/, '').split('\n');
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}
