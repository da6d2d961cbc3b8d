/** Simple command: its words without quotes, and its output targets. */
export interface CommandPart {
  /** Trimmed source text. */
  text: string;
  words: string[];
  writesTo: string[];
  /** True if the command reads the output of the previous part. */
  isPiped: boolean;
}

export interface ParsedCommand {
  parts: CommandPart[];
  /**
   * True if the command contains a substitution (`$(…)`, backticks,
   * `<(…)`). This parser does not parse the commands in substitutions.
   */
  hasSubstitution: boolean;
  /** True if a quote is not closed. The parsed commands are then unreliable. */
  isBroken: boolean;
}

/** Matches `$((…))` that contains only arithmetic: no command, and parentheses nested at most one level deep. */
const calculation = /\$\(\((?:[^`'"\\$\n()]|\$\w|\$\{\w+\}|\((?:[^`'"\\$\n()]|\$\w|\$\{\w+\})*\))*\)\)/;
const quoted = /'(?<single>[^']*)(?<singleEnd>'?)|"(?<double>(?:\\[^]?|[^"\\])*)(?<doubleEnd>"?)|\\(?<escaped>[^]?)/;
const sign = /(?<target>>[>|&]?)|(?<end>&&|\|\||[;&|\n()])|(?<blank>[ \t\r]+)|(?<brace>[{}])|(?<substitution>`|[$<](?=\())/;
const token = new RegExp(`${calculation.source}|${quoted.source}|${sign.source}|[^\\\\'"\`$<>;&|\\n(){} \\t\\r]+|[^]`, 'g');
/** Matches the parts of double-quoted text that run no command. */
const harmless = new RegExp(`${calculation.source}|\\\\[^]`, 'g');

/**
 * Splits a command line at `;`, `&`, `|`, `&&`, `||`, newlines and parentheses
 * outside quotes. The result is for display only, not for approval.
 */
export function parseCommand(command: string): ParsedCommand {
  const parsed: ParsedCommand = { parts: [], hasSubstitution: false, isBroken: false };
  let part: CommandPart = { text: '', words: [], writesTo: [], isPiped: false };
  let word: string | null = null;
  /** Use of the next word: as an argument, as the file after `>`, or as the file or descriptor after `>&`. */
  let role: 'argument' | 'file' | 'stream' = 'argument';

  const endWord = (): void => {
    if (word === null) return;
    if (role === 'argument') part.words.push(word);
    // `2>&1` duplicates a descriptor. `>& name` writes to a file.
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
    // Braces group commands only at the start of a command.
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
