import { visibleText } from './visibleText';
import { cutHead } from '../../types/cutText';

/**
 * Fits a text into one line or a tooltip. Joins whitespace, makes invisible characters
 * visible with `show`, and truncates long text.
 */
export function oneLine(text: string, most = 300, show: (text: string) => string = visibleText): string {
  // Truncate first, because the text can be several megabytes long.
  const begun = text.slice(0, 2 * most).replace(/\s+/g, ' ');
  const isCut = begun.length > most || text.length > 2 * most;
  return show(isCut ? `${cutHead(begun, most)}…` : begun);
}
