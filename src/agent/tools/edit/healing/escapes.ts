import { squeezed, type Reading } from './reading';

/** Character that may be escaped once too often: a quote, a tab, a line end, a backslash. */
type Escape = '"' | 't' | 'n' | '\\';

const meaning: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '' };
/** Strings with escapes of their own. Triple quotes match alone, because only a part of such a string may be quoted. */
const strings = /"""|'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/;

/** Sets of characters that models escape together. */
const sets: readonly (readonly Escape[])[] = [['"', 't', 'n', '\\'], ['"', 't', '\\'], ['"'], ['t'], ['n', 't'], ['n']];

/** Returns the readings of lines with an excess level of escapes, as in a JSON string inside another. */
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
  // If quotes are not escaped, escapes inside a string are legitimate.
  const pattern = new RegExp(set.includes('"') ? escaped.source : `${strings.source}|${escaped.source}`, 'g');
  return text.replaceAll(pattern, (whole: string, one: string | undefined) => {
    if (one === undefined) return whole;
    const kind = one === "'" || one === '`' ? '"' : one === 'r' ? 'n' : one;
    return set.includes(kind as Escape) ? (meaning[one] ?? one) : whole;
  });
}

/** Unescapes copied lines. Unescapes new lines only if they show the same error throughout. */
function undone(lines: readonly string[], asked: readonly string[], set: readonly Escape[]): string[] {
  const copied = new Set(asked);
  const text = lines.filter((line) => !copied.has(line)).join('\n');
  const isSlip = hasSlip(text, asked.join('\n'), set);
  const fresh = plainQuote.test(text) ? set.filter((escape) => escape !== '"') : set;
  return lines.flatMap((line) => {
    if (copied.has(line)) return unescaped(line, set).split('\n');
    return isSlip ? unescaped(line, fresh).split('\n') : [line];
  });
}

const plainQuote = /(?<!\\)"/;

/** Tells whether a new text escapes the same characters as the old one, and has none of them unescaped. */
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

/** Splits a single-line patch with escaped line endings into lines. */
export function unescapedPatch(patch: string): string {
  const isEscaped = !patch.trim().includes('\n') && /\\n(?:\*\*\* |\+\+\+ |@@)/.test(patch);
  return isEscaped ? unescaped(patch, ['"', 't', 'n', '\\']) : patch;
}

const leadingTabs = /^(?:\\t)+/;

/**
 * Replaces `\t` in indentations with tabs. Keeps a single one unless the file is indented by tabs, and keeps all if lines of the file
 * begin with `\t` themselves, as in LaTeX.
 */
export function withTabs(lines: readonly string[], text: string): string[] {
  const isTabbed = /^\t/m.test(text);
  const isOwn = /^[ \t]*\\t/m.test(text);
  return lines.map((line) => {
    const length = leadingTabs.exec(line)?.[0].length ?? 0;
    return isOwn || (length === 2 && !isTabbed) ? line : leadingAsTabs(line);
  });
}

function leadingAsTabs(line: string): string {
  return line.replace(leadingTabs, (tabs) => '\t'.repeat(tabs.length / 2));
}
