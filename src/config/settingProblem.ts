import { isAbsolute } from 'node:path';
import { t } from '../utils/l10n';
import { problemOf, type SettingKey } from './settings';

/**
 * Returns the reason why a person should not save a value, which may be usable all the same; null if nothing speaks
 * against it.
 */
export function settingProblem(key: SettingKey, value: unknown): string | null {
  const problem = problemOf(key, value);
  if (problem !== null) return problem;
  if (key === 'baseUrl') return addressProblem(String(value));
  const isRelative = key === 'storagePath' && value !== '' && !isAbsolute(String(value));
  return isRelative ? t('Enter the whole path of a folder, from its root.') : null;
}

function addressProblem(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hostname === '') return t('This is not an address. It looks like http://localhost:11434.');
  const hasCredentials = url.username !== '' || url.password !== '';
  return hasCredentials ? t('Leave name and password out of the address. Set a bearer token instead.') : null;
}
