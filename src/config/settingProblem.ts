import { isAbsolute } from 'node:path';
import { t } from '../utils/l10n';
import { findSettingProblem, type SettingKey } from './settings';

/** Returns the reason why the user should not save a value, even if it is technically valid. Returns null if there is none. */
export function settingProblem(key: SettingKey, value: unknown): string | null {
  const problem = findSettingProblem(key, value);
  if (problem !== null) return problem;
  if (key === 'baseUrl') return addressProblem(String(value));
  const isRelative = key === 'storagePath' && value !== '' && !isAbsolute(String(value));
  return isRelative ? t('Enter the absolute path of a folder.') : null;
}

function addressProblem(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hostname === '') return t('Enter an address such as http://localhost:11434.');
  const hasCredentials = url.username !== '' || url.password !== '';
  return hasCredentials ? t('Remove the user name and password from the address. Set an access token instead.') : null;
}
