import { visibleText } from './visibleText';

/** What fits into a line and its tooltip: blanks in one, what cannot be seen made visible by `show`, cut where it is very long. */
export function oneLine(text: string, most = 300, show: (text: string) => string = visibleText): string {
  // Cut before anything else: whoever wrote it may have written megabytes.
  const begun = text.slice(0, 2 * most).replace(/\s+/g, ' ');
  const isCut = begun.length > most || text.length > 2 * most;
  return show(isCut ? `${begun.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : begun);
}
