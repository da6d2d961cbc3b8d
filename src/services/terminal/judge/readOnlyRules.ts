/** Arguments that a program may have without approval. */
export interface ReadOnlyRule {
  /** Single-letter options without a value, which can be combined: `-la`. */
  letters?: string;
  /**
   * Other options: `--all`; `-n:number` with a value of one of the kinds below; `-b:a|t` with one of these values; `-#` for a
   * number instead of `-n`.
   */
  options?: string;
  /** Options of which at least one is required. Without any of them, the program does more than read. */
  requiresOneOf?: string;
  minOperands?: number;
  maxOperands?: number;
}

const atom = String.raw`(?:[A-Za-z0-9_][\w./-]*(?:@\{(?:u|upstream|push|-?\d{1,4})\})?|@\{(?:u|upstream|push|-?\d{1,4})\})(?:[~^]\d{0,4}){0,9}`;
/** Matches the name of a commit, or a range of two commits. */
export const revision = new RegExp(`^${atom}(?:\\.\\.\\.?(?:${atom})?)?$`);
/** Placeholders that Git reads from the commit itself. Other placeholders have side effects: `%G?` runs gpg. */
const placeholder = String.raw`%(?:h|H|s|an|ae|ad|ar|aI|as|cn|ce|cd|cr|ci|cI|cs|d|D|b|B|n|t|T|p|P|C(?:reset|red|green|blue|yellow|cyan|magenta)|C\((?:auto|reset|red|green|blue|yellow|cyan|magenta)\))`;
const format = new RegExp(
  `^(?:oneline|short|medium|full|fuller|reference|(?:t?format:|(?=[^%]*%))(?:${placeholder}|[\\p{L}\\p{N} _.,:;|/#<>()[\\]{}+=@*-])+)$`,
  'u',
);

const kinds: ReadonlyMap<string, RegExp> = new Map([
  ['number', /^\d{1,6}$/],
  ['offset', /^\+?\d{1,6}$/],
  ['days', /^[+-]?\d{1,6}$/],
  ['size', /^[+-]?\d{1,6}[ckMG]?$/],
  ['lines', /^\d{1,6},\+?\d{1,6}$/],
  ['list', /^[\d,-]{1,40}$/],
  ['character', /^.$/u],
  // Text that a program uses as a pattern or a separator, but never as a file name.
  ['text', /^[\p{L}\p{N}\p{M} _./,:=+@*?()[\]{}|^<>#~;&-]+$/u],
  ['glob', /^[\p{L}\p{N} _.,*?|/-]+$/u],
  ['type', /^[a-z]{1,12}$/],
  // Sort keys of `sort`.
  ['key', /^\d{1,3}(\.\d{1,3})?[bdfghinMrRV]*(,\d{1,3}(\.\d{1,3})?[bdfghinMrRV]*)?$/],
  ['letters', /^[A-Za-z]{1,10}$/],
  ['revision', revision],
  ['format', format],
  ['date', /^(short|iso|iso-strict|relative|local|human|rfc|default|raw|unix)$/],
  ['order', /^-?(committerdate|authordate|creatordate|refname|taggerdate|version:refname|v:refname)$/],
]);

export interface ProgramRule extends ReadOnlyRule {
  /** Kind of the operands: none, text that is not a path, paths in folders, or files whose content is printed. */
  operands: 'none' | 'text' | 'paths' | 'files';
  /** Pattern for a first operand that is not a path, and the option that passes this operand, if any. */
  first?: { pattern: RegExp; option?: string };
  /** True if the program does not support `--` as the end of options. */
  lacksDoubleDash?: boolean;
  /** Options to add to make the command harmless. */
  adds?: string;
}

/** Parsed arguments. Options and values are in the form that the program receives. */
export interface ParsedArguments {
  options: string[];
  operands: string[];
  /** Arguments after `--`. Null if there is no `--`. */
  afterDashes: string[] | null;
}

/** Separates options from operands. Returns null if an option is not in the rule. */
export function parseArguments(args: readonly string[], rule: ReadOnlyRule): ParsedArguments | null {
  const dashes = args.indexOf('--');
  const afterDashes = dashes < 0 ? null : args.slice(dashes + 1);
  if (afterDashes?.some((operand) => operand.startsWith('-')) === true) return null;
  const rest = dashes < 0 ? [...args] : args.slice(0, dashes);
  const options: string[] = [];
  const operands: string[] = [];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith('-')) operands.push(arg);
    else {
      const option = parseOption(arg, rest, rule);
      if (option === null) return null;
      options.push(...option);
    }
  }
  const count = operands.length + (afterDashes?.length ?? 0);
  if (count < (rule.minOperands ?? 0) || count > (rule.maxOperands ?? Infinity)) return null;
  if (rule.requiresOneOf !== undefined && !options.some((option) => wordList(rule.requiresOneOf).includes(option))) return null;
  return { options, operands, afterDashes };
}

/** Parses one option and takes its value from `rest` if needed. Returns null for an unknown option. */
function parseOption(arg: string, rest: string[], rule: ReadOnlyRule): string[] | null {
  const next = rest[0] ?? '';
  const known = wordList(rule.options);
  if (known.includes(arg) && !/[:#]/.test(arg)) {
    const optional = valueRule(rule, arg);
    return optional?.test(next) === true && !next.startsWith('-') ? [`${arg}=${rest.shift()}`] : [arg];
  }
  if (known.includes('-#') && /^-\d{1,6}$/.test(arg)) return ['-n', arg.slice(1)];
  const whole = valueRule(rule, arg);
  if (whole) {
    const value = rest.shift() ?? '';
    if (!whole.test(value)) return null;
    return arg.startsWith('--') ? [`${arg}=${value}`] : [arg, value];
  }
  if (arg.startsWith('--')) {
    const at = arg.indexOf('=');
    return at > 0 && valueRule(rule, arg.slice(0, at))?.test(arg.slice(at + 1)) === true ? [arg] : null;
  }
  let end = 1;
  while (end < arg.length && rule.letters?.includes(arg.charAt(end)) === true) end += 1;
  const together = end > 1 ? [arg.slice(0, end)] : [];
  if (end === arg.length) return end > 1 ? together : null;
  const letter = `-${arg.charAt(end)}`;
  const value = arg.slice(end + 1) || (rest.shift() ?? '');
  return valueRule(rule, letter)?.test(value) === true ? [...together, letter, value] : null;
}

/** Returns the pattern for the value of an option, or undefined if the option has no value. */
function valueRule(rule: ReadOnlyRule, option: string): RegExp | undefined {
  const kind = wordList(rule.options)
    .find((word) => word.startsWith(`${option}:`))
    ?.slice(option.length + 1);
  return kind === undefined ? undefined : (kinds.get(kind) ?? new RegExp(`^(${kind})$`));
}

export function wordList(text = ''): string[] {
  return text.split(' ').filter((word) => word !== '');
}
