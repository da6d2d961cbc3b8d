import type { TextQuery } from './textQuery';

/**
 * Returns the texts or regular expressions that together find a query in every Unicode form: `ü` may be stored as one character, or as `u`
 * with a mark.
 */
export function formsOf({ text, isRegex }: Pick<TextQuery, 'text' | 'isRegex'>): string[] {
  const composed = text.normalize('NFC');
  const texts = isRegex ? [inBothForms(composed)] : [text, composed, text.normalize('NFD')];
  return [...new Set(texts)];
}

/** Replaces characters outside of classes and escapes by a choice of their forms. */
function inBothForms(regex: string): string {
  return regex.replace(/\\.|\[(?:\\.|[^\]\\])*\]|[^\x00-\x7f]/gsu, (part) => {
    const decomposed = part.normalize('NFD');
    return /^[\\[]/.test(part) || decomposed === part ? part : `(?:${part}|${decomposed})`;
  });
}
