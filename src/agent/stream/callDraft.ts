import type { EditDraft } from '../../protocol/webviewEvents';
import { plainLineEnds } from '../../utils/text/textFile';
import { growingDiff } from './growingDiff';

/** Maximum number of lines that a draft shows. These are the last lines, which the model is writing. */
const shownLines = 12;

const names = {
  path: ['path', 'file', 'filePath', 'file_path', 'fileName', 'file_name', 'filename', 'target_file', 'targetFile'],
  old: ['oldText', 'old_text', 'oldString', 'old_string', 'old_str', 'search'],
  now: ['newText', 'new_text', 'newString', 'new_string', 'new_str', 'replace', 'content', 'contents', 'text', 'code'],
} as const;

/**
 * Returns the visible part of an edit in progress. Returns null before its first line, and while `textBefore`
 * returns undefined because the file is still loading. `textBefore` returns null if there is no file.
 */
export function readDraft(written: string, textBefore: (path: string) => string | null | undefined): EditDraft | null {
  const path = readValue(written, names.path);
  const old = readValue(written, names.old);
  const now = readValue(written, names.now);
  if (old === null && now === null) return null;
  const shown = path?.isWhole === true ? path.text : null;
  const before = shown === null || old !== null ? null : textBefore(shown);
  if (before === undefined) return null;
  const removed = splitValue(old);
  const added = splitValue(now);
  const lines =
    before === null
      ? [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
      : rewritten(splitValue({ text: before, isWhole: true }), added, now?.text.endsWith('\n') === true);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { path: shown, lines: lines.slice(-shownLines), additions: count('+'), deletions: count('-') };
}

/** Compares the lines. An incomplete last line counts as changed only if no line of the file begins with it. */
function rewritten(before: readonly string[], written: readonly string[], isLineWhole: boolean): string[] {
  const last = written.at(-1);
  const mayStay = last !== undefined && !isLineWhole && before.some((line) => line.startsWith(last));
  return growingDiff(before, mayStay ? written.slice(0, -1) : written);
}

interface Value {
  text: string;
  /** True if the end of the value was found. */
  isWhole: boolean;
}

/** Returns the part of a JSON or XML argument that has been written so far. */
function readValue(written: string, keys: readonly string[]): Value | null {
  const any = keys.join('|');
  const json = new RegExp(`"(?:${any})"\\s*:\\s*"`).exec(written);
  const xml = new RegExp(`<(?:parameter|arg)(?:=| name=)["']?(?:${any})["']?>\\n?|<(?:${any})>\\n?`).exec(written);
  if (json && (!xml || json.index < xml.index)) return jsonText(written, json.index + json[0].length);
  return xml ? xmlText(written, xml.index + xml[0].length) : null;
}

function jsonText(written: string, start: number): Value {
  let end = start;
  while (end < written.length && written[end] !== '"') {
    const size = written[end] !== '\\' ? 1 : written[end + 1] === 'u' ? 6 : 2;
    // The rest of the escape sequence is still missing.
    if (end + size > written.length) return { text: unescaped(written.slice(start, end)), isWhole: false };
    end += size;
  }
  return { text: unescaped(written.slice(start, end)), isWhole: end < written.length };
}

function unescaped(raw: string): string {
  try {
    return JSON.parse(`"${raw.replace(/[\u0000-\u001f]/g, escaped)}"`) as string;
  } catch {
    return raw;
  }
}

/** Escapes a raw line break, because models write such line breaks into JSON. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function xmlText(written: string, start: number): Value {
  const end = written.indexOf('</', start);
  return end < 0
    ? { text: written.slice(start), isWhole: false }
    : { text: written.slice(start, end).replace(/\n$/, ''), isWhole: true };
}

function splitValue(value: Value | null): string[] {
  if (value === null || value.text === '') return [];
  const lines = plainLineEnds(value.text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
