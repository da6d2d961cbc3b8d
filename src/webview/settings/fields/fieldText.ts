import { formatNumber } from '../../../types/format';
import { t } from '../../translate';
import type { SettingValue } from '../../types';
import type { SettingItem } from '../settingsItem';

/** Returns the text of a field. A port has no group separators. Unexpected types from a settings file are shown as JSON. */
export function fieldText(value: unknown, isGrouped = true): string {
  if (typeof value === 'number')
    return isGrouped ? formatNumber(value, { most: 20 }) : String(value).replace('.', formatNumber(0.5).charAt(1));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns true for a value of kind `list`. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Returns true for a value of kind `switches`. */
export function isSwitches(value: unknown): value is Readonly<Record<string, boolean>> {
  const isNamed = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isNamed && Object.values(value).every((one) => typeof one === 'boolean');
}

/** Lists the names and their switches, in order. */
export function switchRows(value: Readonly<Record<string, boolean>>): { text: string; isOn: boolean }[] {
  return Object.entries(value).map(([text, isOn]) => ({ text, isOn }));
}

/** Returns a value in the form used inside a sentence. */
export function shownValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? t('on') : t('off');
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value !== 'object' || value === null) return value === '' ? t('empty') : fieldText(value);
  if (Object.keys(value).length === 0) return t('empty');
  if (isTexts(value)) return value.join(', ');
  return isSwitches(value)
    ? switchRows(value)
        .map(({ text, isOn }) => `${text}: ${isOn ? t('on') : t('off')}`)
        .join(', ')
    : fieldText(value);
}

/** Returns the value to save for a text. An empty text resets the setting. A later validation rejects an invalid number. */
export function fieldValue(kind: SettingItem['kind'], text: string): SettingValue {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (kind !== 'number' && kind !== 'duration') return trimmed;
  const number = writtenNumber(trimmed);
  return Number.isFinite(number) ? number : trimmed;
}

/** Reads a number with the group separators of the display language. Also accepts a comma or a point before the decimals. */
function writtenNumber(text: string): number {
  const decimal = formatNumber(0.5).charAt(1);
  const group = formatNumber(1_111_111).replace(/1/g, '').charAt(0);
  const separator = group.trim() === '' ? '\\s' : `[${group}]`;
  const grouped = new RegExp(`^-?[1-9]\\d{0,2}(?:${separator}\\d{3})+(?:[${decimal}]\\d+)?$`);
  const plain = text.replace(new RegExp(separator, 'g'), '').replace(decimal, '.');
  // Some languages do not group by three digits.
  if (grouped.test(text) || formatNumber(Number(plain)) === text) return Number(plain);
  return Number(text.replace(',', '.'));
}
