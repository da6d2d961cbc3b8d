/** Rule of what one program may be asked for without a question. */
export interface Rule {
  /** Options of one letter without a value, which may stand together: `-la`. */
  letters?: string;
  /** Other options: `--all`, `-n:number` with a value of a kind below, `-b:a|t` with one of these values, `-#` a number for `-n`. */
  options?: string;
  /** Options of which at least one is required: without it, the program does more. */
  needs?: string;
  /** The least and the most operands. */
  count?: number;
  most?: number;
}

const atom = String.raw`(?:[A-Za-z0-9_][\w./-]*(?:@\{(?:u|upstream|push|-?\d{1,4})\})?|@\{(?:u|upstream|push|-?\d{1,4})\})(?:[~^]\d{0,4}){0,9}`;
/** Matches the name of a commit, or of two with dots between them. */
export const revision = new RegExp(`^${atom}(?:\\.\\.\\.?(?:${atom})?)?$`);
/** Placeholders that come from the commit itself: `%G?` runs gpg. */
const placeholder = String.raw`%(?:h|H|s|an|ae|ad|ar|aI|as|cn|ce|cd|cr|ci|cI|cs|d|D|b|B|n|t|T|p|P|C(?:reset|red|green|blue|yellow|cyan|magenta)|C\((?:auto|reset|red|green|blue|yellow|cyan|magenta)\))`;
const format = new RegExp(
  `^(?:oneline|short|medium|full|fuller|reference|(?:t?format:|(?=[^%]*%))(?:${placeholder}|[\\p{L}\\p{N} _.,:;|/#<>()[\\]{}+=@*-])+)$`,
  'u',
);

/** Kinds of values of options. */
const kinds: ReadonlyMap<string, RegExp> = new Map([
  ['number', /^\d{1,6}$/],
  ['offset', /^\+?\d{1,6}$/],
  ['days', /^[+-]?\d{1,6}$/],
  ['size', /^[+-]?\d{1,6}[ckMG]?$/],
  ['lines', /^\d{1,6},\+?\d{1,6}$/],
  ['list', /^[\d,-]{1,40}$/],
  ['character', /^.$/u],
  // Text that a program takes as a pattern or a separator, and never as the name of a file.
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

/** The rule of a program that is no git. */
export interface ProgramRule extends Rule {
  /** Kind of its operands: none, text that is no path, paths in folders, or files whose content it shows. */
  operands: 'none' | 'text' | 'paths' | 'files';
  /** Pattern of a first operand that is no path, and the option that it is passed with, if any. */
  first?: { pattern: RegExp; option?: string };
  /** True if it does not end its options at `--`. */
  isWithoutDashes?: boolean;
  /** Options that are not in the command line and have to be added for it to be harmless. */
  adds?: string;
}

/** Arguments told apart, with each option and its value as they are passed on. */
export interface Arranged {
  options: string[];
  operands: string[];
  /** Arguments behind `--`; null without one. */
  behind: string[] | null;
}

/** Tells options from names as a rule knows them; null where there is an option that it does not know. */
export function arrange(args: readonly string[], rule: Rule): Arranged | null {
  const dashes = args.indexOf('--');
  const behind = dashes < 0 ? null : args.slice(dashes + 1);
  if (behind?.some((operand) => operand.startsWith('-')) === true) return null;
  const rest = dashes < 0 ? [...args] : args.slice(0, dashes);
  const options: string[] = [];
  const operands: string[] = [];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith('-')) operands.push(arg);
    else {
      const option = optionOf(arg, rest, rule);
      if (option === null) return null;
      options.push(...option);
    }
  }
  const count = operands.length + (behind?.length ?? 0);
  if (count < (rule.count ?? 0) || count > (rule.most ?? Infinity)) return null;
  if (rule.needs !== undefined && !options.some((option) => wordList(rule.needs).includes(option))) return null;
  return { options, operands, behind };
}

/** Reads one option, taking its value from `rest` where it stands there; null for one that is not known. */
function optionOf(arg: string, rest: string[], rule: Rule): string[] | null {
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

/** Returns what the value of an option may be; undefined for an option without one. */
function valueRule(rule: Rule, option: string): RegExp | undefined {
  const kind = wordList(rule.options)
    .find((word) => word.startsWith(`${option}:`))
    ?.slice(option.length + 1);
  return kind === undefined ? undefined : (kinds.get(kind) ?? new RegExp(`^(${kind})$`));
}

export function wordList(text = ''): string[] {
  return text.split(' ').filter((word) => word !== '');
}
