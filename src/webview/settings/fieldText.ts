import { t } from '../translate';
import type { SettingValue } from '../types';
import type { SettingItem } from './catalogue';

/** Returns a value as it stands in its field. One that is no text or number came from a settings file, and is shown as it is there. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** Returns a value in a sentence. */
export function shownValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? t('on') : t('off');
  const isEmpty = typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : value === '';
  return isEmpty ? t('empty') : fieldText(value);
}

/**
 * Returns the value as which a field's text is saved. An empty text takes back the saved value; one that is no number is left to be
 * refused.
 */
export function fieldValue(kind: SettingItem['kind'], text: string): SettingValue {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (kind !== 'number' && kind !== 'duration') return trimmed;
  const number = Number(kind === 'number' ? trimmed.replace(',', '.') : trimmed);
  return Number.isFinite(number) ? number : trimmed;
}
