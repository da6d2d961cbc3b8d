import type { Entry } from '../../../protocol/entries';
import { selectPrompted } from '../../../protocol/reducer/promptedEntries';
import { findCodePlace, readIndent } from '../../../utils/text/codePlace';
import { withoutRepeatedLines } from '../../../utils/text/repeatedLines';
import { plainLineEnds } from '../../../utils/text/textFile';
import { attachedParts, lastAttachedLines } from '../kernel/attachedLines';
import { isProperty, placeOfStatements, reindented } from './answeredStatement';

/** Languages of code blocks that do not contain the content of a file. */
const otherText = new Set(['diff', 'patch', 'console', 'output']);

const codeBlock = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n`]*\n([\s\S]*?)^ {0,3}\1[`~]*[ \t]*$/gm;

/** Code from an answer and the file to change, which the last message names. */
export interface AnsweredCode {
  path: string;
  /** Returns the new text of the file, or null if the position of the code is not certain. */
  applied: (text: string) => string | null;
}

/**
 * Returns the only code block of the last answer. The block replaces the lines attached to the message, without
 * repeating the lines around them. If the block is a version of the function or statement at the cursor, the block
 * replaces this code. New code is inserted at the cursor. Returns null if the message asks a question, refers to
 * more than one place, or was followed by an edit. Also returns null unless the answer has exactly one code block.
 */
export function answeredCode(entries: readonly Entry[]): AnsweredCode | null {
  const begun = entries.findLastIndex(({ type }) => type === 'user_input');
  const message = entries[begun];
  const answer = entries.at(-1);
  if (message?.type !== 'user_input' || answer?.type !== 'assistant_output' || answer.data.isThinking === true) return null;
  if (message.content.trim().endsWith('?') || entries.slice(begun).some(({ type }) => type === 'file_edit')) return null;
  const code = onlyBlock(answer.content);
  if (code === null) return null;
  const places = message.data.attachments.filter(
    ({ kind, startLine }) => (kind === 'selection' || kind === 'editor') && startLine !== undefined,
  );
  const [place] = places;
  if (places.length !== 1 || place?.startLine === undefined) return null;
  const { path, kind, startLine } = place;
  if (kind === 'editor') return { path, applied: (text) => appliedAt(splitLines(text), startLine, code) };
  const part = attachedParts(selectPrompted(entries)).get(path);
  if (part === undefined || part === 'all') return null;
  return {
    path,
    applied: (text) => {
      const { first, last } = lastAttachedLines(part, text);
      const lines = splitLines(text);
      const start = first - 1;
      const like = firstFilled(lines.slice(start, last));
      const fit = (other: string | null) => fitted(code, other ?? like);
      return spliced(lines, start, last, withoutRepeatedLines({ lines, start, end: last }, code, fit));
    },
  };
}

function onlyBlock(answer: string): string[] | null {
  const blocks = [...answer.matchAll(codeBlock)];
  const [, , language = '', code = ''] = blocks[0] ?? [];
  if (blocks.length !== 1 || code.trim() === '' || otherText.has(language.toLowerCase())) return null;
  // A fence outside the block shows that the code itself contains fences, so the block ends too early.
  if (/^ {0,3}(?:`{3}|~{3})/m.test(answer.replace(codeBlock, ''))) return null;
  return splitLines(code.replace(/\n$/, ''));
}

/** Replaces the function or statement at the line if the block is a version of it. Otherwise inserts the block at the line. */
function appliedAt(lines: readonly string[], line: number, code: readonly string[]): string | null {
  const place = findCodePlace(lines, code.join('\n'));
  if (place !== null && line > place.from && line <= place.to) return spliced(lines, place.from, place.to, place.lines);
  const at = placeOfStatements(lines, line - 1, code);
  if (at === 'unsure') return null;
  if (at === 'insert') return inserted(lines, line, code);
  const { from, to } = at;
  const written = reindented(code, readIndent(lines[from] ?? ''));
  return spliced(lines, from, to, isProperty(written.at(-1) ?? '') ? withComma(written, lines[to - 1] ?? '') : written);
}

/** Ends the code with a comma only if the line `like` ends with one. A property needs a comma only before another property. */
function withComma(code: readonly string[], like: string): string[] {
  const last = (code.at(-1) ?? '').replace(/,?\s*$/, like.trimEnd().endsWith(',') ? ',' : '');
  return [...code.slice(0, -1), last];
}

/** Replaces an empty line with the code, or inserts the code below a line with text. */
function inserted(lines: readonly string[], line: number, code: readonly string[]): string {
  const at = Math.min(line, lines.length);
  const like = lines[at - 1] ?? '';
  return spliced(lines, like.trim() === '' ? at - 1 : at, at, fitted(code, like));
}

/** Adds the indentation of the line `like` to code without indentation. */
function fitted(code: readonly string[], like: string): string[] {
  const indent = readIndent(firstFilled(code)) === '' ? readIndent(like) : '';
  return code.map((line) => (line.trim() === '' ? line : indent + line));
}

function spliced(lines: readonly string[], start: number, end: number, code: readonly string[]): string {
  return [...lines.slice(0, start), ...code, ...lines.slice(end)].join('\n');
}

function firstFilled(lines: readonly string[]): string {
  return lines.find((line) => line.trim() !== '') ?? '';
}

function splitLines(text: string): string[] {
  return plainLineEnds(text).split('\n');
}
