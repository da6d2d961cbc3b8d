import { t } from '../../utils/l10n';

const maxLength = 60;

/** Returns the first words of a message, at most 60 characters, whole words if there are any. */
export function titleOf(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim();
  if (words === '') return t('New chat');
  const characters = [...words];
  if (characters.length <= maxLength) return words;
  const lastSpace = characters.slice(0, maxLength).lastIndexOf(' ');
  const length = lastSpace > maxLength / 2 ? lastSpace : maxLength - 1;
  return `${characters.slice(0, length).join('')}…`;
}
