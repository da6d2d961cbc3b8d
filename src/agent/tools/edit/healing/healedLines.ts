import type { Reading, Slip } from './reading';
import { placesWithWrongCharacter, findReadings } from './slips';

/** Position in a file of lines that were copied with an error. */
export interface HealedLines {
  slip: Slip;
  /** First line, counted from 0. */
  start: number;
  /** Corrected lines, one for each matching line of the file. */
  asked: readonly string[];
  undo: Reading['undo'];
}

/**
 * Finds the unique match of lines that were copied with an error. Returns the first lines of all
 * matches if there are several, or undefined if there are none. With `byLine`, each requested line is
 * one line of the file. `numberOf` returns the number that the model sees for a line, counted from 1.
 */
export function findHealed(
  lines: readonly string[],
  asked: readonly string[],
  text: string,
  by: 'byLine' | 'byText' = 'byText',
  numberOf: (start: number) => number | undefined = (start) => start + 1,
): HealedLines | number[] | undefined {
  const keys = new Map<Reading['key'], string[]>();
  for (const { slip, asked: wanted, key, undo, firstLine } of findReadings(asked, text)) {
    if (by === 'byLine' && wanted.length !== asked.length) continue;
    const there = keys.get(key) ?? lines.map(key);
    keys.set(key, there);
    const sought = wanted.map(key);
    const places = sought.every((line) => line === '') ? [] : findPlaces(there, sought);
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

/** Returns the first lines of all matches, counted from 0. */
export function linePlaces(lines: readonly string[], asked: readonly string[], key: (line: string) => string): number[] {
  return findPlaces(lines.map(key), asked.map(key));
}

function findPlaces(there: readonly string[], wanted: readonly string[]): number[] {
  const places: number[] = [];
  for (let start = 0; start + wanted.length <= there.length; start += 1) {
    if (wanted.every((line, index) => there[start + index] === line)) places.push(start);
  }
  return places;
}
