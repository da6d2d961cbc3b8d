import { pairBrackets } from './brackets';
import { isBlank } from './rawCompletion';
import { syntaxPlace } from './syntaxPlace';
import { readIndent } from '../../utils/text/codePlace';

export interface LineQuestion {
  before: string;
  after: string;
  languageId: string;
  lineCount: number;
}

/** Number of lines from which a file gets only single-line suggestions. */
const longFile = 8000;
const closersOnly = /^[\s)\]};,:"'`>]*$/;
const wordOpeners = /^(?:ruby|lua|shellscript|elixir|julia|fish|crystal)$/;
const pythonHead =
  /^\s*(?:(?:async\s+)?(?:def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b(?!.*\blambda\b)|[)\]]).*:\s*$/;
const plainText = /^(?:plaintext|markdown|latex|restructuredtext|git-commit|scminput)$/;

/**
 * Chooses between a single line and a block. Suggests a block on a new line and after the opening of an empty block. Suggests a
 * single line in comments and strings, within a line, and in long files.
 */
export function decideLines({ before, after, languageId, lineCount }: LineQuestion): 'single' | 'block' {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const end = after.indexOf('\n');
  const tail = end < 0 ? after : after.slice(0, end);
  if (lineCount > longFile || !closersOnly.test(tail)) return 'single';
  if (!isBlank(line) && !opensEmptyBlock(line, after, languageId)) return 'single';
  const place = syntaxPlace(before, after, languageId) ?? {
    isInText: !plainText.test(languageId) && pairBrackets(before.slice(-8000), languageId).inside !== null,
    mayOpen: true,
  };
  return place.isInText || (!isBlank(line) && !place.mayOpen) ? 'single' : 'block';
}

function opensEmptyBlock(line: string, after: string, languageId: string): boolean {
  if (!opens(line, languageId)) return false;
  const next = after
    .slice(0, 4000)
    .split('\n')
    .slice(1)
    .find((one) => !isBlank(one));
  return next === undefined || readIndent(next).length <= readIndent(line).length;
}

function opens(line: string, languageId: string): boolean {
  if (/\{\s*$/.test(line)) return true;
  if (languageId === 'python') return pythonHead.test(line);
  return wordOpeners.test(languageId) && /\b(?:do|then|else|begin)\s*(?:\|[^|]*\|)?\s*$/.test(line);
}
