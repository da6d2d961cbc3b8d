/** Simple command of a command line: its words without quotes, and the targets of its output. */
export interface CommandPart {
  /** Text as written, trimmed. */
  text: string;
  words: string[];
  /** Targets of `>` and `>>`. */
  writesTo: string[];
  /** True if it reads the output of the part before it. */
  isPiped: boolean;
}

export interface ParsedCommand {
  parts: CommandPart[];
  /** `$(…)`, backticks and `<(…)` run commands that this parser does not look into. */
  hasSubstitution: boolean;
  /** A quote that does not close: what will run is anyone's guess. */
  isBroken: boolean;
}

/** `$((…))` that only calculates: with nothing in it that could run a command, and brackets one deep. */
const calculation = /\$\(\((?:[^`'"\\$\n()]|\$\w|\$\{\w+\}|\((?:[^`'"\\$\n()]|\$\w|\$\{\w+\})*\))*\)\)/;
const quoted = /'(?<single>[^']*)(?<singleEnd>'?)|"(?<double>(?:\\[^]?|[^"\\])*)(?<doubleEnd>"?)|\\(?<escaped>[^]?)/;
const sign = /(?<target>>[>|&]?)|(?<end>&&|\|\||[;&|\n()])|(?<blank>[ \t\r]+)|(?<brace>[{}])|(?<substitution>`|[$<](?=\())/;
const token = new RegExp(`${calculation.source}|${quoted.source}|${sign.source}|[^\\\\'"\`$<>;&|\\n(){} \\t\\r]+|[^]`, 'g');
/** Pieces of a text between double quotes that run nothing. */
const harmless = new RegExp(`${calculation.source}|\\\\[^]`, 'g');

/** Splits a command line at `;`, `&`, `|`, `&&`, `||`, newlines and brackets outside quotes. For display, not for permission. */
export function parseCommand(command: string): ParsedCommand {
  const parsed: ParsedCommand = { parts: [], hasSubstitution: false, isBroken: false };
  let part: CommandPart = { text: '', words: [], writesTo: [], isPiped: false };
  let word: string | null = null;
  /** Use of the next word: an argument, the file behind `>`, or the file or number behind `>&`. */
  let role: 'argument' | 'file' | 'stream' = 'argument';

  const endWord = (): void => {
    if (word === null) return;
    if (role === 'argument') part.words.push(word);
    // `2>&1` joins streams, `>& name` writes a file.
    else if (role === 'file' || !/^(\d+|-)$/.test(word)) part.writesTo.push(word);
    role = 'argument';
    word = null;
  };
  const endPart = (isPipe: boolean): void => {
    endWord();
    const text = part.text.trim();
    if (text !== '') parsed.parts.push({ ...part, text });
    part = { text: '', words: [], writesTo: [], isPiped: isPipe };
    role = 'argument';
  };

  for (const { 0: text, groups = {} } of command.matchAll(token)) {
    const { single, double, escaped } = groups;
    // Braces group commands only where a command begins.
    if (groups['end'] !== undefined || (groups['brace'] !== undefined && word === null && part.words.length === 0)) {
      endPart(text === '|');
      continue;
    }
    part.text += text;
    if (groups['target'] !== undefined) {
      if (/^\d*$/.test(word ?? '')) word = null;
      endWord();
      role = text === '>&' ? 'stream' : 'file';
    } else if (groups['blank'] !== undefined) endWord();
    else if (escaped !== '\n') word = (word ?? '') + (single ?? double?.replace(/\\([^]?)/g, '$1') ?? escaped ?? text);
    if (groups['substitution'] !== undefined || /`|\$\(/.test(double?.replace(harmless, '') ?? '')) parsed.hasSubstitution = true;
    if (groups['singleEnd'] === '' || groups['doubleEnd'] === '') parsed.isBroken = true;
  }
  endPart(false);
  return parsed;
}
