import { t } from '../../translate';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Tells in a few words how long ago a time was. Times in milliseconds since the epoch. */
export function relativeTime(time: number, now: number): string {
  const ago = now - time;
  if (ago < minute) return t('now');
  if (ago < hour) return t('{0} min ago', Math.floor(ago / minute));
  if (ago < day) return ago < 2 * hour ? t('1 h ago') : t('{0} h ago', Math.floor(ago / hour));
  if (ago < 2 * day) return t('yesterday');
  if (ago < 7 * day) return t('{0} days ago', Math.floor(ago / day));
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return new Date(time).toLocaleDateString(undefined, {
    month: 'short',
    day: 'numeric',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

export function exactTime(time: number): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'short' });
}

/** Formats a day as a person writes it, such as `Mar 14, 2026`. */
export function shortDate(time: number): string {
  return new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/** Formats the time of day, with the date if it is not today's. */
export function clockTime(time: number, now: number): string {
  const isToday = new Date(time).toDateString() === new Date(now).toDateString();
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  return isToday
    ? new Date(time).toLocaleTimeString(undefined, clock)
    : new Date(time).toLocaleString(undefined, { month: 'short', day: 'numeric', ...clock });
}

/** Formats bytes as a person reads them, e.g. `9.3 GB`. */
export function fileSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${inDigits(value, value < 10 && power > 0 ? 1 : 0)} ${units[power]}`;
}

/** Formats tokens as a person reads them, e.g. `32k`. */
export function tokenCount(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  const thousands = tokens % 1024 === 0 ? tokens / 1024 : tokens / 1000;
  return `${inDigits(thousands, thousands < 10 && !Number.isInteger(thousands) ? 1 : 0)}k`;
}

/** Formats a number of tokens, with one decimal as long as that says something, e.g. `12.4k`. */
export function exactTokenCount(tokens: number): string {
  if (tokens < 1000 || tokens >= 100_000) return tokenCount(tokens);
  return `${(tokens / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })}k`;
}

function inDigits(value: number, digits: number): string {
  return value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
