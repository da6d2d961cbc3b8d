import type { TextQuery } from './textQuery';

/**
 * Returns texts or regular expressions that together find a query in every Unicode
 * form. For example, `ü` is either one character or `u` with a combining mark.
 */
export function listForms({ text, isRegex }: Pick<TextQuery, 'text' | 'isRegex'>): string[] {
  const composed = text.normalize('NFC');
  const texts = isRegex ? [inBothForms(composed)] : [text, composed, text.normalize('NFD')];
  return [...new Set(texts)];
}

/** Replaces each character outside classes and escapes with a choice of its forms. */
function inBothForms(regex: string): string {
  return regex.replace(/\\.|\[(?:\\.|[^\]\\])*\]|[^\x00-\x7f]/gsu, (part) => {
    const decomposed = part.normalize('NFD');
    return /^[\\[]/.test(part) || decomposed === part ? part : `(?:${part}|${decomposed})`;
  });
}
