import type { Reading, Slip } from './reading';
import { placesWithWrongCharacter, readingsOf } from './slips';

/** Place in a file of lines that were copied with an error. */
export interface HealedLines {
  slip: Slip;
  /** First line, from 0. */
  start: number;
  /** Corrected lines, as many as at the place. */
  asked: readonly string[];
  undo: Reading['undo'];
}

/**
 * Finds the unique place of lines that were copied with an error. Returns the first lines of all places if there are several; undefined if
 * there is none. `byLine`: each requested line is one line of the file. `numberOf`: number that the model knows for a line, from 1.
 */
export function findHealed(
  lines: readonly string[],
  asked: readonly string[],
  text: string,
  by: 'byLine' | 'byText' = 'byText',
  numberOf: (start: number) => number | undefined = (start) => start + 1,
): HealedLines | number[] | undefined {
  const keys = new Map<Reading['key'], string[]>();
  for (const { slip, asked: wanted, key, undo, firstLine } of readingsOf(asked, text)) {
    if (by === 'byLine' && wanted.length !== asked.length) continue;
    const there = keys.get(key) ?? lines.map(key);
    keys.set(key, there);
    const sought = wanted.map(key);
    const places = sought.every((line) => line === '') ? [] : placesOf(there, sought);
    if (places.length > 1) return places;
    const [start] = places;
    if (start === undefined || (firstLine !== undefined && firstLine !== numberOf(start))) continue;
    return { slip, start, asked: undo(asked, lines.slice(start, start + wanted.length)), undo };
  }
  const places = placesWithWrongCharacter(lines, asked);
  const [start] = places;
  if (start === undefined) return undefined;
  return places.length > 1 ? places : { slip: 'character', start, asked, undo: (made) => [...made] };
}

/** Returns the first lines, from 0, of all matching places. */
export function linePlaces(lines: readonly string[], asked: readonly string[], key: (line: string) => string): number[] {
  return placesOf(lines.map(key), asked.map(key));
}

function placesOf(there: readonly string[], wanted: readonly string[]): number[] {
  const places: number[] = [];
  for (let start = 0; start + wanted.length <= there.length; start += 1) {
    if (wanted.every((line, index) => there[start + index] === line)) places.push(start);
  }
  return places;
}
