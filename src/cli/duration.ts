import { usageError } from './exitCodes';

const units: Record<string, number> = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a duration such as `90`, `90s`, `10m` or `1h`. Returns milliseconds. */
export function parseDuration(text: string, option: string): number {
  const [, number, unit] = /^(\d{1,9})([smh]?)$/.exec(text.trim()) ?? [];
  const milliseconds = Number(number) * (units[unit ?? ''] ?? NaN);
  if (!(milliseconds > 0) || milliseconds > 2 ** 31 - 1)
    throw usageError(`${text} is not a duration for --${option}. Use a number with s, m or h, such as 10m.`);
  return milliseconds;
}
