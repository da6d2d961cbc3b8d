const english = 'en-US';

let configured = english;
let language: string | null = english;
const formats = new Map<string, Intl.NumberFormat>();

interface Decimals {
  least?: number;
  most?: number;
}

/**
 * Sets the display language (BCP 47) for numbers and times. Uses English for a language that the platform does not
 * support. A worker has a separate copy of this module, so the host must do the formatting for workers.
 */
export function setDisplayLanguage(tag: string): void {
  configured = tag;
  language = null;
}

/** Formats a number, by default with at most three decimals. */
export function formatNumber(value: number, decimals: Decimals = {}): string {
  return numberFormat(displayLanguage(), decimals).format(value);
}

/** Formats a number for the model and the log, which use English. */
export function formatInEnglish(value: number): string {
  return numberFormat(english, {}).format(value);
}

/** Formats bytes in decimal units, as Ollama does, for example `9.3 GB`. */
export function fileSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${withDecimals(value, value < 10 && power > 0 ? 1 : 0)} ${units[power]}`;
}

/**
 * Formats a model's number of parameters. Ollama reports `134.52M`, for example, which
 * becomes `134.5M`. Other texts stay unchanged.
 */
export function parameterCount(size: string): string {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([KMBT])$/i.exec(size.trim()) ?? [];
  if (count === undefined) return size;
  const value = Number(count) * 1000 ** ('KMBT'.indexOf(unit.toUpperCase()) + 1);
  return new Intl.NumberFormat(displayLanguage(), { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** Formats a token count in a few characters, for example `32k`. */
export function tokenCount(tokens: number): string {
  if (tokens < 1000) return formatNumber(tokens);
  const thousands = tokens % 1024 === 0 ? tokens / 1024 : tokens / 1000;
  return `${withDecimals(thousands, thousands < 10 && !Number.isInteger(thousands) ? 1 : 0)}k`;
}

/** Formats a token count in a few characters, with one decimal below 100,000, for example `12.4k`. */
export function exactTokenCount(tokens: number): string {
  if (tokens < 1000 || tokens >= 100_000) return tokenCount(tokens);
  return `${formatNumber(tokens / 1000, { most: 1 })}k`;
}

/** Formats a date with its weekday, and the time. Times are in milliseconds since the epoch. */
export function exactTime(time: number): string {
  return written(time, { dateStyle: 'full', timeStyle: 'short' });
}

/** Formats a date and time in a few characters, for example `Mar 14, 2026, 3:20 PM`. */
export function dateAndTime(time: number): string {
  return written(time, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Formats a day, for example `Mar 14, 2026`. */
export function shortDate(time: number): string {
  return written(time, { dateStyle: 'medium' });
}

/** Formats a month, for example `March 2026`. The time is in UTC. */
export function monthAndYear(time: number): string {
  return written(time, { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** Formats a day. Includes the year if it is not the current one. */
export function recentDate(time: number, now: number): string {
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return written(time, { month: 'short', day: 'numeric', ...(isThisYear ? {} : { year: 'numeric' }) });
}

/** Formats the time of day. Includes the date if it is not today. */
export function clockTime(time: number, now: number): string {
  const isToday = new Date(time).toDateString() === new Date(now).toDateString();
  return written(time, { hour: '2-digit', minute: '2-digit', ...(isToday ? {} : { month: 'short', day: 'numeric' }) });
}

function withDecimals(value: number, digits: number): string {
  return formatNumber(value, { least: digits, most: digits });
}

function written(time: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(displayLanguage(), options).format(time);
}

/** Returns a number format. Formats are cached, because creating one takes longer than using it. */
function numberFormat(locale: string, { least = 0, most = 3 }: Decimals): Intl.NumberFormat {
  const key = `${locale} ${least} ${most}`;
  const kept = formats.get(key);
  if (kept !== undefined) return kept;
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: most });
  formats.set(key, format);
  return format;
}

/**
 * Returns the display language. Determined when the first number is formatted, because loading all
 * languages takes as long as the rest of the startup.
 */
export function displayLanguage(): string {
  language ??= isKnown(configured) ? configured : english;
  return language;
}

/** Returns true if the platform supports a language. Some editors define additional languages. */
function isKnown(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf([locale]).length > 0;
  } catch {
    return false;
  }
}
