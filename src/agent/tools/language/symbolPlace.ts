import { t, type Phrase } from '../../../utils/l10n';
import type { CodePlace, CodeSymbol } from '../../kernel/languagePort';

/** Symbol in the model's description. */
export interface SymbolRequest {
  symbolName?: string | undefined;
  /** Line, counted from 1. */
  line?: number | undefined;
  character?: number | undefined;
}

export type PlacedSymbol = { place: CodePlace; name: string } | { problem: Phrase };

const maxNames = 10;
const words = /[\p{L}\p{Nl}_$][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}_$]*/gu;

/** Finds a symbol in a text by position or by name. If a line is given, returns the match nearest to the line. */
export function findSymbolPlace(
  file: string,
  text: string,
  symbols: readonly CodeSymbol[],
  { symbolName, line, character }: SymbolRequest,
): PlacedSymbol {
  const lines = text.split(/\r\n|\n|\r/);
  if (line !== undefined && (line < 1 || line > lines.length))
    return problem(t('Line {0} does not exist.', String(line)), `The file has ${lines.length} lines.`);
  if (symbolName !== undefined) return named(file, lines, flat(symbols), symbolName, line);
  if (line === undefined)
    return problem(t('The model named neither a symbol nor a line.'), 'Give symbolName, or line and character.');
  const there = character ?? flat(symbols).find((one) => one.line === line)?.column;
  const found = wordsIn(lines[line - 1] ?? '');
  const word =
    found.find(({ column, name }) => there !== undefined && column <= there && there <= column + name.length) ?? found[0];
  if (word === undefined) return problem(t('Line {0} contains no symbol.', String(line)), `Line ${line} has no name in it.`);
  return { place: { file, line, column: word.column }, name: word.name };
}

/** Returns symbols and all their children in the order of the text. */
export function flat(symbols: readonly CodeSymbol[]): CodeSymbol[] {
  return symbols.flatMap((symbol) => [symbol, ...flat(symbol.children)]);
}

function named(
  file: string,
  lines: readonly string[],
  symbols: readonly CodeSymbol[],
  wanted: string,
  line: number | undefined,
): PlacedSymbol {
  // In `Class.method`, `pkg::name` and `method()`, the last name is the symbol.
  const name =
    wanted
      .replace(/\(.*\)$/s, '')
      .split(/\.|::|#/)
      .at(-1)
      ?.trim() ?? wanted;
  const isNear = (one: { line: number }, other: { line: number }) =>
    line === undefined ? 0 : Math.abs(one.line - line) - Math.abs(other.line - line);
  const exact = symbols.filter((one) => plainName(one.name) === name).sort(isNear)[0];
  if (exact !== undefined) return { place: { file, line: exact.line, column: exact.column }, name };
  const written = lines
    .flatMap((text, index) => wordsIn(text).map((word) => ({ ...word, line: index + 1 })))
    .filter((word) => word.name === name)
    .sort(isNear)[0];
  if (written !== undefined) return { place: { file, line: written.line, column: written.column }, name };
  const like = symbols.filter((one) => isAlike(plainName(one.name), name)).map((one) => `${one.name} (line ${one.line})`);
  const near = like.length > 0 ? ` Like it: ${[...new Set(like)].slice(0, maxNames).join(', ')}.` : '';
  const english = `There is no ${name} in this file.${near} get_document_symbols lists its symbols.`;
  return problem(t('There is no symbol {0}.', name), english);
}

function problem(local: string, english: string): PlacedSymbol {
  return { problem: { local, english } };
}

/** Returns a name without the parameters that a language server may have added. */
export function plainName(name: string): string {
  return name.replace(/\(.*$/s, '').trim();
}

function isAlike(one: string, other: string): boolean {
  const a = one.toLowerCase();
  const b = other.toLowerCase();
  return (
    a !== '' &&
    b !== '' &&
    (a.includes(b) || b.includes(a) || commonPrefixLength(a, b) >= Math.max(3, Math.min(a.length, b.length) / 2))
  );
}

function commonPrefixLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function wordsIn(line: string): { name: string; column: number }[] {
  return [...line.matchAll(words)].map((match) => ({ name: match[0], column: match.index + 1 }));
}
