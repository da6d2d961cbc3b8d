import { goQuote } from './goJson';

const unitMs: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Returns the milliseconds of a Go duration (`"30m"`, `"1h30m"`, `"0"`). Negative durations return negative numbers. Throws an `Error` with
 * the text of Go's `time.ParseDuration`.
 */
export function parseGoDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  if (rest === '' || !/^[\d.]/.test(rest)) throw new Error(`time: invalid duration ${goQuote(text)}`);
  let total = 0;
  let position = 0;
  while (position < rest.length) {
    const number = /^\d*\.?\d*/.exec(rest.slice(position))?.[0] ?? '';
    if (number === '' || number === '.') throw new Error(`time: invalid duration ${goQuote(text)}`);
    position += number.length;
    const unit = /^[^\d.]*/.exec(rest.slice(position))?.[0] ?? '';
    if (unit === '') throw new Error(`time: missing unit in duration ${goQuote(text)}`);
    const factor = unitMs[unit];
    if (factor === undefined) throw new Error(`time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`);
    position += unit.length;
    total += Number(number) * factor;
  }
  return sign * total;
}
