import { visibleLine } from '../../../protocol/text/visibleText';

/**
 * Joins the reasons of an approval into one line that starts with a capital letter. Paths and
 * names with special characters stay unchanged.
 */
export function reasonLine(reasons: readonly string[]): string {
  return visibleLine(reasons.join(' · ')).replace(/^\p{Ll}(?=\p{Ll}*(?:[\s,:]|$))/u, (letter) => letter.toUpperCase());
}
