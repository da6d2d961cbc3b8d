import { t } from '../../utils/l10n';
import type { WrittenValue } from './callBlock';
import { readLooseJson } from './looseJson';
import { endsInTheMiddle, nameless, unreadable, type WrittenCall } from './writtenCall';

const name = /[\s,;]*([A-Za-z_][\w.]*)\s*\(/y;
const key = /[\s,]*([^\s=,()[\]{}"']+)\s*=/y;
/** Raw string. Its backslashes are literal. */
const raw = /^\s*[rR](["'])([\s\S]*)\1\s*$/;
/** Strings. For triple-quoted strings, the content is a group. */
const texts = /("""|''')([\s\S]*?)\1|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/g;

/** Reads `name(key=value, …)`, or a list of such calls, with Python values. `isCutOff` is true if the answer was truncated. */
export function readPythonCalls({ text, isComplete }: WrittenValue, isCutOff: boolean): WrittenCall[] {
  const calls: WrittenCall[] = [];
  let at = /^\s*\[?/.exec(text)?.[0].length ?? 0;
  for (;;) {
    name.lastIndex = at;
    const found = name.exec(text);
    if (!found) break;
    const called = (found[1] ?? nameless).replace(/\.call$/, '');
    const { input, end, problem } = readInput(text, name.lastIndex);
    if (end < 0) {
      const isOnlyBracket = problem === null && !isCutOff;
      calls.push(
        isOnlyBracket
          ? { name: called, input, repairs: [t('a "{0}" was missing at the end', ')')] }
          : endsInTheMiddle(called, '', text),
      );
      return calls;
    }
    calls.push(problem === null ? { name: called, input } : unreadable(called, problem, text.slice(at, end)));
    at = end;
  }
  if (calls.length === 0) return [unreadable(nameless, 'there is no call in it', text)];
  if (!isComplete && isCutOff) return [...calls.slice(0, -1), endsInTheMiddle(calls.at(-1)?.name ?? nameless, '', text)];
  return calls;
}

/** Reads arguments up to their closing bracket. `end` is the index after the bracket, or -1. */
function readInput(text: string, from: number): { input: Record<string, unknown>; end: number; problem: string | null } {
  const input: Record<string, unknown> = {};
  let problem: string | null = null;
  for (let at = from; ;) {
    const [space = ''] = /^[\s,]*/.exec(text.slice(at, at + 1000)) ?? [];
    at += space.length;
    if (text[at] === ')') return { input, end: at + 1, problem };
    if (at >= text.length) return { input, end: -1, problem };
    key.lastIndex = at;
    const named = key.exec(text);
    const start = named ? key.lastIndex : at;
    const { end, isOpen } = valueEnd(text, start);
    const value = text.slice(start, end);
    if (isOpen) return { input, end: -1, problem: 'it is not whole' };
    const asJson = (whole: string, _: string | undefined, inner: string | undefined): string =>
      inner === undefined ? whole : JSON.stringify(inner);
    const read = readLooseJson(`[${value.replace(raw, asJson).replaceAll(texts, asJson)}]`);
    if (!named) problem ??= `${JSON.stringify(value.slice(0, 40))} needs the name of its argument, as in path="a.txt"`;
    else if (read.isValid && Array.isArray(read.value) && read.value.length === 1)
      Object.defineProperty(input, named[1] ?? '', { value: read.value[0] as unknown, enumerable: true, writable: true });
    else problem ??= `"${named[1]}" is no value: ${read.isValid ? 'there is nothing' : read.problem}`;
    at = end;
  }
}

/** Returns the index of the comma or bracket after a value. `isOpen` is true if the text ends inside a string. */
function valueEnd(text: string, from: number): { end: number; isOpen: boolean } {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '"' || sign === "'") {
      const width = text.startsWith(sign.repeat(3), at) ? 3 : 1;
      at = textEnd(text, at + width, sign.repeat(width));
      if (at < 0) return { end: text.length, isOpen: true };
    } else if ('([{'.includes(sign)) depth += 1;
    else if (depth === 0 && (sign === ',' || sign === ')')) return { end: at, isOpen: false };
    else if (')]}'.includes(sign)) depth -= 1;
  }
  return { end: text.length, isOpen: false };
}

/** Returns the index of the last quote of a string, or -1. */
function textEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(quote, at)) return at + quote.length - 1;
  }
  return -1;
}
