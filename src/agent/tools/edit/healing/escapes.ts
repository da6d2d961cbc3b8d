import { squeezed, type Reading } from './reading';

/** Character that models may escape once too often: a quote, a tab, a line break or a backslash. */
type Escape = '"' | 't' | 'n' | '\\';

const meaning: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '' };
/** Strings that contain escapes. Triple quotes match alone, because the quoted text may contain only part of the string. */
const strings = /"""|'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/;

/** Sets of characters that models escape together. */
const sets: readonly (readonly Escape[])[] = [['"', 't', 'n', '\\'], ['"', 't', '\\'], ['"'], ['t'], ['n', 't'], ['n']];

/** Returns readings of lines that have one escape level too many, as in a JSON string inside another. */
export function escapeReadings(asked: readonly string[]): Reading[] {
  const text = asked.join('\n');
  const readings: Reading[] = [];
  const seen = new Set([text]);
  for (const set of sets) {
    const read = unescaped(text, set);
    if (seen.has(read)) continue;
    seen.add(read);
    readings.push({ slip: 'escapes', asked: read.split('\n'), key: squeezed, undo: (lines) => undone(lines, asked, set) });
  }
  const tabbed = asked.map(leadingAsTabs);
  if (!seen.has(tabbed.join('\n')))
    readings.push({ slip: 'escapes', asked: tabbed, key: squeezed, undo: (lines) => lines.map(leadingAsTabs) });
  return readings;
}

function unescaped(text: string, set: readonly Escape[]): string {
  const escaped = /\\(["'`tnr\\])/;
  // If the quotes are not escaped, the escapes inside a string are correct.
  const pattern = new RegExp(set.includes('"') ? escaped.source : `${strings.source}|${escaped.source}`, 'g');
  return text.replaceAll(pattern, (whole: string, one: string | undefined) => {
    if (one === undefined) return whole;
    const kind = one === "'" || one === '`' ? '"' : one === 'r' ? 'n' : one;
    return set.includes(kind as Escape) ? (meaning[one] ?? one) : whole;
  });
}

/** Removes the extra escapes from copied lines, and from new lines only if they consistently have the same error. */
function undone(lines: readonly string[], asked: readonly string[], set: readonly Escape[]): string[] {
  const copied = new Set(asked);
  const text = lines.filter((line) => !copied.has(line)).join('\n');
  const isSlip = hasSlip(text, asked.join('\n'), set);
  const fresh = plainQuote.test(text) ? set.filter((escape) => escape !== '"') : set;
  return lines.flatMap((line) => {
    if (copied.has(line)) return unescaped(line, set).split('\n');
    if (!isSlip) return [line];
    return unescaped(fresh.includes('"') ? withStringEscapes(line, asked.join('\n')) : line, fresh).split('\n');
  });
}

/** Doubles the backslash of `\n` and `\t` in strings with escaped quotes, unless the old text escapes them once too often. */
function withStringEscapes(line: string, old: string): string {
  return line.replaceAll(/\\"(?:\\\\\\"|[^"\\]|\\[^"])*\\"/g, (string) =>
    string.replaceAll(/(?<!\\)((?:\\\\)*)\\([nrt])/g, (whole: string, pairs: string, letter: string) =>
      hasEscape(old, letter === 't' ? 't' : 'n') ? whole : `${pairs}\\\\${letter}`,
    ),
  );
}

const plainQuote = /(?<!\\)"/;

/** Returns whether the new text escapes the same characters as the old one and contains none of them unescaped. */
function hasSlip(text: string, old: string, set: readonly Escape[]): boolean {
  const used = set.filter((escape) => escape !== '\\' && hasEscape(old, escape));
  const isPlain: Record<Escape, boolean> = {
    '"': plainQuote.test(text),
    t: text.includes('\t'),
    n: !old.includes('\n') && text.includes('\n'),
    '\\': false,
  };
  return used.some((escape) => hasEscape(text, escape)) && !used.some((escape) => isPlain[escape]);
}

function hasEscape(text: string, escape: Escape): boolean {
  return escape === '\\' ? text.includes('\\\\') : new RegExp(`(?<!\\\\)(?:\\\\\\\\)*\\\\${escape}`).test(text);
}

/** Splits a patch that is one line with escaped line breaks into lines. */
export function unescapedPatch(patch: string): string {
  const isEscaped = !patch.trim().includes('\n') && /\\n(?:\*\*\* |\+\+\+ |@@)/.test(patch);
  return isEscaped ? unescaped(patch, ['"', 't', 'n', '\\']) : patch;
}

const leadingTabs = /^(?:\\t)+/;

/**
 * Replaces `\t` in indentation with tabs. The file must be indented with tabs, and no line may begin with a backslash, as
 * in LaTeX. A single `\t` may be part of a word such as `\title`. It is replaced only before a word that the file contains.
 */
export function withTabs(lines: readonly string[], text: string): string[] {
  if (!/^\t/m.test(text) || /^[ \t]*\\[a-z]/im.test(text)) return [...lines];
  return lines.map((line) => {
    const [, tabs = '', word = ''] = /^((?:\\t)+)(\w*)/.exec(line) ?? [];
    const isIndent =
      tabs.length > 2 ||
      /^[)}\]"'`<@#/]/.test(line.slice(tabs.length)) ||
      (word !== '' && new RegExp(`(?<![\\\\\\w])${word}\\b`).test(text));
    return isIndent ? leadingAsTabs(line) : line;
  });
}

function leadingAsTabs(line: string): string {
  return line.replace(leadingTabs, (tabs) => '\t'.repeat(tabs.length / 2));
}
