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

interface PartBuilder {
  text: string;
  words: string[];
  word: string | null;
  writesTo: string[];
  isTarget: boolean;
  isJoin: boolean;
  isPiped: boolean;
}

/** Splits a command line at `;`, `&`, `|`, `&&`, `||`, newlines and brackets outside quotes. For display, not for permission. */
export function parseCommand(command: string): ParsedCommand {
  const parts: CommandPart[] = [];
  let part = newPart(false);
  let quote: string | null = null;
  let hasSubstitution = false;

  const endPart = (isPipe: boolean): void => {
    endWord(part);
    const text = part.text.trim();
    if (text !== '') parts.push({ text, words: part.words, writesTo: part.writesTo, isPiped: part.isPiped });
    part = newPart(isPipe);
  };

  for (let index = 0; index < command.length; index += 1) {
    const char = command.charAt(index);
    const next = command.charAt(index + 1);
    const arithmetic = quote === "'" ? '' : arithmeticAt(command, index);
    if (arithmetic !== '') {
      part.word = (part.word ?? '') + arithmetic;
      part.text += arithmetic;
      index += arithmetic.length - 1;
      continue;
    }
    if (quote !== "'" && (char === '`' || (char === '$' && next === '(') || (quote === null && char === '<' && next === '('))) {
      hasSubstitution = true;
    }
    if (quote !== null) {
      part.text += char;
      if (char === quote) quote = null;
      else if (char === '\\' && quote === '"') {
        part.word = (part.word ?? '') + next;
        part.text += next;
        index += 1;
      } else part.word = (part.word ?? '') + char;
      continue;
    }
    if (char === '\\') {
      part.text += char + next;
      if (next !== '\n') part.word = (part.word ?? '') + next;
      index += 1;
    } else if (char === "'" || char === '"') {
      quote = char;
      part.word ??= '';
      part.text += char;
    } else if (char === '>') {
      if (/^\d*$/.test(part.word ?? '')) part.word = null;
      endWord(part);
      part.text += char;
      if (next === '>' || next === '|' || next === '&') {
        part.text += next;
        index += 1;
      }
      part.isTarget = true;
      part.isJoin = next === '&';
    } else if (';&|\n()'.includes(char) || ('{}'.includes(char) && isAtCommand(part))) {
      const isPipe = char === '|' && next !== '|';
      endPart(isPipe);
      if (next === char && (char === '&' || char === '|')) index += 1;
    } else if (/[ \t\r]/.test(char)) {
      endWord(part);
      part.text += char;
    } else {
      part.word = (part.word ?? '') + char;
      part.text += char;
    }
  }
  endPart(false);
  return { parts, hasSubstitution, isBroken: quote !== null };
}

/** Returns a `$((…))` that only calculates: with nothing in it that could run a command, and no `$( (…) … )`. */
function arithmeticAt(command: string, index: number): string {
  if (!command.startsWith('$((', index)) return '';
  let depth = 2;
  let end = index + 3;
  for (; end < command.length && depth > 1; end += 1) {
    if (command.charAt(end) === '(') depth += 1;
    else if (command.charAt(end) === ')') depth -= 1;
  }
  const expression = command.slice(index + 3, end - 1);
  const isPure = /^(?:[^`'"\\$\n]|\$\w|\$\{\w+\})*$/.test(expression);
  return isPure && depth === 1 && command.charAt(end) === ')' ? command.slice(index, end + 1) : '';
}

function newPart(isPiped: boolean): PartBuilder {
  return { text: '', words: [], word: null, writesTo: [], isTarget: false, isJoin: false, isPiped };
}

/** Braces group commands only where a command begins. */
function isAtCommand(part: PartBuilder): boolean {
  return part.word === null && part.words.length === 0;
}

function endWord(part: PartBuilder): void {
  if (part.word === null) return;
  // `2>&1` joins streams, `>& name` writes a file.
  if (part.isTarget && part.isJoin && /^(\d+|-)$/.test(part.word)) part.isJoin = false;
  else if (part.isTarget) part.writesTo.push(part.word);
  else part.words.push(part.word);
  part.isTarget = false;
  part.word = null;
}
