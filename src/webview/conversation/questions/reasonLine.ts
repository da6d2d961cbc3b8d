import { visibleLine } from '../../../protocol/text/visibleText';

/** Joins the reasons of an approval to one line that begins with a capital letter. A path or a name with other signs stays as it is. */
export function reasonLine(reasons: readonly string[]): string {
  return visibleLine(reasons.join(' · ')).replace(/^\p{Ll}(?=\p{Ll}*(?:[\s,:]|$))/u, (letter) => letter.toUpperCase());
}
