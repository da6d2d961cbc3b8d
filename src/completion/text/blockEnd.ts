import { isBlank, lineStart, linesAbove, linesBelow, type RawCompletion, type CleaningRule } from './rawCompletion';
import { readIndent } from '../../utils/text/codePlace';

/** Matches lines that continue the block above: closing brackets and keywords, and later parts of a statement such as `else`. */
const continuesBlock =
  /^\s*(?:[)\]}]|end\b|else\b|elif\b|elsif\b|elseif\b|except\b|catch\b|finally\b|rescue\b|ensure\b|case\b|default\b|when\b|then\b|fi\b|done\b|esac\b|<\/)/;

/** Matches lines that begin a definition. */
const definition =
  /^\s*(?:@\w|(?:export|public|private|protected|internal|static|async|abstract|override|pub|final|default)\s+\w|def\s|class\s|function\b|fn\s|func\s|interface\s|impl\b|struct\s|enum\s|module\s|namespace\s|describe\(|it\()/;

const functionHead = /^\s*(?:[\w ]*\s)?(?:def|function|fn|func)\b/;

/** Truncates a text at the end of the block at the cursor. */
export const untilBlockEnd: CleaningRule = (text, at) => {
  if (!text.includes('\n')) return text;
  const end = blockEnd(text, at);
  return end < 0 ? text : text.slice(0, end);
};

/** Returns the offset at which the block at the cursor ends in a text. Returns -1 if it does not end. */
export function blockEnd(text: string, at: RawCompletion): number {
  const start = lineStart(at);
  const lines = `${start}${text}`.split('\n');
  const first = lines.findIndex((line) => !isBlank(line));
  if (first < 0) return -1;
  const heads = findHeads(lines[first] ?? '', at);
  const head = heads.length === 0 ? -1 : width(heads[0] ?? '');
  // At the end of the file, the rest of the surrounding function belongs to the block.
  const outer = width(
    heads.findLast((line) => functionHead.test(line)) ?? heads.find((line) => definition.test(line)) ?? heads[0] ?? '',
  );
  const below = linesBelow(at).find((line) => !isBlank(line));
  let hasBody = false;
  for (let index = first + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (isBlank(line)) continue;
    const indent = width(line);
    const isAfterGap = isBlank(lines[index - 1] ?? '');
    const isTop = indent === 0 && (head >= 0 || (hasBody && isAfterGap));
    const isOther = (indent <= head && definition.test(line)) || (indent <= outer && below === undefined && isAfterGap);
    const isLeft = isTop || isOther;
    if (isLeft && !(continuesBlock.test(line) && !isAfterGap)) return findOffset(lines, index) - start.length;
    hasBody ||= indent > 0 || continuesBlock.test(line);
  }
  return -1;
}

/** Returns the lines that open the blocks around the cursor, innermost first. */
function findHeads(first: string, at: RawCompletion): string[] {
  const heads: string[] = [];
  let own = width(first);
  for (const line of linesAbove(at).reverse()) {
    if (own === 0) break;
    if (isBlank(line) || width(line) >= own) continue;
    heads.push(line);
    own = width(line);
  }
  return heads;
}

function width(line: string): number {
  return readIndent(line).replaceAll('\t', '    ').length;
}

/** Returns the end of the last line with text before the line at this index. */
function findOffset(lines: readonly string[], index: number): number {
  let last = index;
  while (last > 0 && isBlank(lines[last - 1] ?? '')) last -= 1;
  return lines.slice(0, last).join('\n').length;
}
