import { translatable, type Translate } from '../../types/texts';

/** Code of the notice that replaces an entry whose checksum does not match. */
export const damagedCode = 'damaged';

/** Start of the notice. An empty line and the stored text follow. */
export const damagedNotice = translatable('This entry changed on disk after it was saved. The database now contains:');

/**
 * Returns the text of a notice. Notices from the log reader are translated
 * here, because the reader may run in a worker without translations.
 */
export function noticeText(code: string, text: string, t: Translate): string {
  if (code === 'unreadable') return t('Could not read an entry here. It remains unchanged in the database.');
  if (code !== damagedCode || !text.startsWith(damagedNotice)) return text;
  return t(damagedNotice) + text.slice(damagedNotice.length);
}
