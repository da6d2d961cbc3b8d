import { isMode, type ChatMode } from '../../types/modes';
import { sha256Hex } from '../../utils/sha256';

/** Returns an id unchanged if it is plausible. Otherwise returns its hash. */
export function safeId(id: string): string {
  return /^\w(?!.*\.\.)[\w.:#@~/-]{0,199}$/.test(id) ? id : `import-${sha256Hex(id).slice(0, 32)}`;
}

/** Returns a valid time from ISO 8601 text, or from milliseconds or seconds since the epoch. Otherwise returns null. */
export function readTime(value: unknown): number | null {
  const time =
    typeof value === 'string'
      ? Date.parse(formatIso(value))
      : typeof value === 'number'
        ? value < 1e11
          ? value * 1000
          : value
        : NaN;
  return Number.isFinite(time) && time >= 0 && time < 8.64e15 ? Math.floor(time) : null;
}

/** Returns ISO 8601 text. Text from SQLite's `datetime('now')` is in UTC and has no time zone. */
function formatIso(text: string): string {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text;
}

const titleLength = 60;

/** Returns the first words of a message. Truncates between words if possible. */
export function titleFrom(text: string): string {
  const characters = [
    ...text
      .slice(0, 4 * titleLength)
      .replace(/\s+/g, ' ')
      .trim(),
  ];
  if (characters.length <= titleLength) return characters.join('');
  const lastSpace = characters.slice(0, titleLength).lastIndexOf(' ');
  return `${characters.slice(0, lastSpace > titleLength / 2 ? lastSpace : titleLength - 1).join('')}…`;
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

/** Returns a chat mode. Default: `agent`. */
export function readChatMode(value: unknown): ChatMode {
  return typeof value === 'string' && isMode(value) ? value : 'agent';
}
