import { findQuote } from './brackets';
import { isBlank, lineStart, linesAbove, linesBelow, type RawCompletion, type CleaningRule } from './rawCompletion';
import { readIndent } from '../../utils/text/codePlace';

/** Converts the indentation of a response to the style of the document, if the document uses only tabs or only spaces. */
export const withOwnIndentation: CleaningRule = (text, at) => {
  const lines = [...linesAbove(at), lineStart(at), ...linesBelow(at)];
  const indents = lines.filter((line) => !isBlank(line)).map(readIndent);
  const hasTabs = indents.some((indent) => indent.startsWith('\t'));
  const hasBlanks = indents.some((indent) => indent.startsWith('  '));
  if (hasTabs === hasBlanks || !text.includes(hasTabs ? '  ' : '\t')) return text;
  const own = text.split('\n');
  const unit = hasTabs ? smallest(own.slice(1).map(readIndent)) : smallest(indents);
  const rewritten = own.map((line, index) => {
    if (index === 0 && !isBlank(lineStart(at))) return line;
    const indent = readIndent(line);
    const written = hasTabs ? tabbed(indent, unit) : indent.replaceAll('\t', ' '.repeat(unit));
    return written + line.slice(indent.length);
  });
  return rewritten.join('\n');
};

function tabbed(indent: string, unit: number): string {
  return indent.replaceAll(' '.repeat(unit), '\t');
}

/** Returns the smallest indentation step. Returns 4 if there is no indentation. */
function smallest(indents: readonly string[]): number {
  const widths = indents.filter((indent) => !indent.includes('\t') && indent.length > 1).map(({ length }) => length);
  return widths.length === 0 ? 4 : Math.min(8, ...widths);
}

/** Removes leading whitespace that the line at the cursor already has. */
export const withoutOwnIndent: CleaningRule = (text, at) => {
  const start = lineStart(at);
  const [first = '', ...others] = text.split('\n');
  const lead = readIndent(first);
  if (!isBlank(start) || start === '' || !lead.startsWith(start) || isBlank(first)) return text;
  const next = others.find((line) => !isBlank(line));
  const isAgain = next === undefined ? !isDeeper(start.length + lead.length, start, at) : readIndent(next) === lead;
  return isAgain ? text.slice(start.length) : text;
};

/** Returns whether the line may have this indentation because the line above opens a block. */
function isDeeper(width: number, start: string, at: RawCompletion): boolean {
  const above = linesAbove(at).findLast((line) => !isBlank(line)) ?? '';
  const indent = readIndent(above);
  if (!/[:{([]\s*(?:#.*|\/\/.*)?$|=>\s*$/.test(above) || start.length < indent.length) return false;
  const unit = indent.includes('\t') ? 1 : smallest([...linesAbove(at), ...linesBelow(at)].map(readIndent));
  return width <= indent.length + unit;
}

const spacedFamilies: readonly (string | null)[] = ['codestral', 'codellama'];

/**
 * Removes a leading space if there is whitespace before the cursor. For some families, removes every such space. For other
 * families, removes only a double space within code.
 */
export const withoutLeadingBlank: CleaningRule = (text, at) => {
  if (!/^ [^\s#/]/.test(text)) return text;
  if (spacedFamilies.includes(at.family)) return /(?:\s|^)$/.test(at.prefix) ? text.slice(1) : text;
  return /\S $/.test(lineStart(at)) && findQuote(at) === null ? text.slice(1) : text;
};

/** Removes trailing whitespace, unless the line continues after the cursor. */
export const withoutTrailingBlanks: CleaningRule = (text, { suffix }) => {
  const tail = suffix.split('\n', 1)[0] ?? '';
  return isBlank(tail) ? text.trimEnd() : text;
};

export const withPlainLineEnds: CleaningRule = (text) => text.replaceAll('\r\n', '\n').replaceAll('\r', '');
