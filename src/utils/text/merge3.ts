import { diffLines, type Hunk } from './lineDiff';
import { splitLines } from './unifiedDiff';

export type MergeResult =
  | { kind: 'merged'; text: string }
  /** The places where both sides changed the same lines in different ways, as lines (from 0, the end left out) of the base. */
  | { kind: 'conflict'; places: { start: number; end: number }[] };

/**
 * Merges, line by line, the changes that made `ours` of `base` with those that made `theirs`. Changes that touch each
 * other's lines are
 * a conflict unless they are the same.
 */
export function merge3(base: string, ours: string, theirs: string): MergeResult {
  if (ours === theirs || base === theirs) return { kind: 'merged', text: ours };
  if (base === ours) return { kind: 'merged', text: theirs };
  const lines = { base: splitLines(base), ours: splitLines(ours), theirs: splitLines(theirs) };
  const regions = overlapping(diffLines(lines.base, lines.ours), diffLines(lines.base, lines.theirs));
  /** Pieces of text, in order. */
  const merged: string[] = [];
  const places: { start: number; end: number }[] = [];
  let place = 0;
  for (const region of regions) {
    merged.push(lines.base.slice(place, region.start).join(''));
    const inOurs = sideOf(region, region.ours, lines.base, lines.ours);
    const inTheirs = sideOf(region, region.theirs, lines.base, lines.theirs);
    if (region.theirs.length === 0 || inOurs === inTheirs) merged.push(inOurs);
    else if (region.ours.length === 0) merged.push(inTheirs);
    else places.push({ start: region.start, end: region.end });
    place = region.end;
  }
  if (places.length > 0) return { kind: 'conflict', places };
  merged.push(lines.base.slice(place).join(''));
  return { kind: 'merged', text: merged.join('') };
}

/** Lines of the base that one side or both have changed. */
interface Region {
  start: number;
  end: number;
  ours: Hunk[];
  theirs: Hunk[];
}

/** Hunks of both sides that overlap or touch are in one region. */
function overlapping(ours: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const all = [...ours.map((hunk) => ({ hunk, isOurs: true })), ...theirs.map((hunk) => ({ hunk, isOurs: false }))];
  all.sort((one, other) => one.hunk.beforeStart - other.hunk.beforeStart || one.hunk.beforeEnd - other.hunk.beforeEnd);
  const regions: Region[] = [];
  for (const { hunk, isOurs } of all) {
    let region = regions.at(-1);
    if (region === undefined || hunk.beforeStart > region.end) {
      region = { start: hunk.beforeStart, end: hunk.beforeEnd, ours: [], theirs: [] };
      regions.push(region);
    }
    region.end = Math.max(region.end, hunk.beforeEnd);
    (isOurs ? region.ours : region.theirs).push(hunk);
  }
  return regions;
}

/** Returns the lines that one side has for a region. */
function sideOf({ start, end }: Region, hunks: readonly Hunk[], base: readonly string[], side: readonly string[]): string {
  const made: string[] = [];
  let place = start;
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of hunks) {
    made.push(base.slice(place, beforeStart).join(''), side.slice(afterStart, afterEnd).join(''));
    place = beforeEnd;
  }
  return made.join('') + base.slice(place, end).join('');
}
