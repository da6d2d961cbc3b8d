import { findQuote, pairBrackets } from './brackets';
import { isBlank, lineStart, type RawCompletion, type CleaningRule } from './rawCompletion';

const proseLanguages =
  /^(markdown|mdx|plaintext|latex|tex|restructuredtext|asciidoc|quarto|rmd|typst|org|git-commit|scminput|html|mermaid)$/;
const fence = /^[ \t]*(?:```|~~~)/;

/** Removes the code fence around a response, and everything after the fence. */
export const withoutFences: CleaningRule = (text, at) => {
  if (proseLanguages.test(at.languageId) || /^[ \t]*(?:```|~~~)/m.test(at.prefix)) return text;
  const lines = text.split('\n');
  const opened = lines.findIndex((line) => fence.test(line));
  if (opened < 0) return withoutTicks(text, at);
  const before = lines.slice(0, opened).filter((line) => !isBlank(line));
  // Code before a fence is the response. The fence marks its end.
  if (before.some((line) => !isProse(line)) && before.length > 0) return lines.slice(0, opened).join('\n');
  const rest = lines.slice(opened + 1);
  const closed = rest.findIndex((line) => fence.test(line));
  return (closed < 0 ? rest : rest.slice(0, closed)).join('\n');
};

/** Removes backticks around a single line. */
function withoutTicks(text: string, at: RawCompletion): string {
  const inTicks = /^\s*(`{1,3})([^`\n]+)\1\s*$/.exec(text);
  const isString = /^(javascript|typescript|javascriptreact|typescriptreact|go|shellscript|vue|svelte|kotlin|lua)$/.test(
    at.languageId,
  );
  if (inTicks === null || (isString && inTicks[1] === '`')) return text.replace(/[ \t]*```\s*$/, '');
  return inTicks[2] ?? text;
}

const openers = [
  '(?:sure|certainly|of course|okay|ok|absolutely|alright|great)\\b[,!.]',
  "(?:here(?:’|')?s?|here is|here are|below is|the following is)\\b",
  '(?:this|the (?:above|missing|completed?|following|given|provided|corrected|updated|resulting)) (?:code|function|completion|snippet|line|part|implementation|method|solution|middle)\\b',
  'the (?:code|function|completion|snippet|missing part|middle) (?:above|below|is|should|would|will|that|to)\\b',
  '(?:to (?:complete|fill in|finish|solve) (?:the|this))\\b',
  "(?:i(?:’|')?(?:ve|ll)|i have|i will|i would|i am|i(?:’|')m|let me|let(?:’|')s|you can|you should|you could|we can|we need|we should)\\b",
  '(?:explanation|note|output|answer|completion|solution|response)\\s*:',
  '(?:note that|in this (?:code|function|example|case)|as an ai|please (?:note|let)|based on (?:the|your)|i hope|hope this|feel free)\\b',
];
const proseOpener = new RegExp(`^\\s*(?:\\*\\*)?(?:${openers.join('|')})`, 'i');

function isProse(line: string): boolean {
  if (!proseOpener.test(line)) return false;
  if (aboutTask.test(line)) return true;
  const words = line.trim().split(/\s+/).length;
  const isCode = /[;{}]\s*$|=>|==|\w\(\w*\)|^\s*\w+\s*[=(]|^\s*\w+\s*:\s*[^\s\w]/.test(line);
  return !isCode && (words > 2 || /[:.!]\s*$/.test(line));
}

/** Matches sentences about the task, which strings rarely contain. */
const aboutTask =
  /\b(?:(?:missing|completed|following|corrected) (?:code|function|line)|complete the (?:code|function|line)|code for you|this (?:code|function) (?:returns?|is|does|will|should|now)|the function now|explanation:)/i;

/** Matches sentences that do not occur in comments either. */
const toPerson =
  /^\s*(?:sure|certainly|of course)[!,]|\bhere(?: is|'s) the (?:missing|completed|corrected) |\bcomplete the code for you\b/i;

/**
 * Removes sentences about the response. Removes the sentences before the code, and everything from the first sentence after it.
 */
export const withoutProse: CleaningRule = (text, at) => {
  const inside = findQuote(at);
  if (proseLanguages.test(at.languageId)) return text;
  if (inside !== null) return withoutSentences(text, isQuote(inside) ? aboutTask : toPerson);
  const lines = text.split('\n');
  let first = 0;
  // Within a line, a sentence replaces the code, so nothing remains.
  while (first < lines.length && (isProse(lines[first] ?? '') || (first > 0 && isBlank(lines[first] ?? '')))) first += 1;
  const rest = first > 0 && !isBlank(lineStart(at)) ? [] : lines.slice(first);
  return untilProse(rest, at.languageId).join('\n');
};

function isQuote(inside: string): boolean {
  return inside === '"' || inside === "'" || inside === '`';
}

/** Returns the lines before the first match. */
function withoutSentences(text: string, sentence: RegExp): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => sentence.test(line));
  return first < 0 ? text : lines.slice(0, first).join('\n');
}

/** Returns the lines before the first prose outside strings and comments. */
function untilProse(lines: readonly string[], languageId: string): readonly string[] {
  let inside: string | null = null;
  for (const [index, line] of lines.entries()) {
    if (index > 0 && inside === null && isProse(line)) return lines.slice(0, index);
    inside = pairBrackets(`${line}\n`, languageId, inside).inside;
  }
  return lines;
}

const pathLine = /^\s*(?:(?:\/\/|#|--|;|%) ?Path: \S.*|\+{5} \S.*|#{3}(?:PATH|REFERENCE|LANGUAGE|MODE):.*)$/;
const bareComment = /^\s*#\S+\.\w{1,5}\s*$/;

/** Truncates a response where another file begins. Removes a path before the response. */
export const withoutPaths: CleaningRule = (text, { family }) => {
  const isPath = (line: string): boolean => pathLine.test(line) || (family === 'deepseek' && bareComment.test(line));
  const lines = text.split('\n');
  let first = 0;
  while (isPath(lines[first] ?? '')) first += 1;
  const rest = lines.slice(first);
  const next = rest.findIndex(isPath);
  return (next < 0 ? rest : rest.slice(0, next)).join('\n');
};

export const withoutEmptyComment: CleaningRule = (text, at) =>
  isBlank(lineStart(at)) && /^\s*(?:\/\/+|#+|--|\/\*+\s*\*\/|<!--\s*-->|;+|%+)\s*$/.test(text) ? '' : text;
