import { t } from '../../translate';

/** The words on the button that shows the whole of a text of so many lines and characters. */
export function showAllText(lines: number, characters: number): string {
  return lines > 1 ? t('Show all {0} lines', lines.toLocaleString()) : t('Show all {0} characters', characters.toLocaleString());
}
