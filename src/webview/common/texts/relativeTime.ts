import { recentDate } from '../../../types/format';
import { t } from '../../translate';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Describes how long ago a time was. Times are in milliseconds since the epoch. */
export function relativeTime(time: number, now: number): string {
  const ago = now - time;
  if (ago < minute) return t('now');
  if (ago < hour) return t('{0} min ago', Math.floor(ago / minute));
  if (ago < day) return ago < 2 * hour ? t('1 h ago') : t('{0} h ago', Math.floor(ago / hour));
  if (ago < 2 * day) return t('yesterday');
  if (ago < 7 * day) return t('{0} days ago', Math.floor(ago / day));
  return recentDate(time, now);
}
