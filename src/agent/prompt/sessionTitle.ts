import { t } from '../../utils/l10n';

/** Characters of a title. */
export const maxTitleLength = 60;

/** Returns the first words of a message, at most 60 characters, whole words if there are any. */
export function titleOf(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim();
  if (words === '') return t('New chat');
  const characters = [...words];
  if (characters.length <= maxTitleLength) return words;
  const lastSpace = characters.slice(0, maxTitleLength).lastIndexOf(' ');
  const length = lastSpace > maxTitleLength / 2 ? lastSpace : maxTitleLength - 1;
  return `${characters.slice(0, length).join('')}…`;
}
