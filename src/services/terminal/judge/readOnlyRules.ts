/** Rule of what one program may be asked for without a question. */
export interface Rule {
  /** Options of one letter without a value, which may stand together: `-la`. */
  letters?: string;
  /** Other options without a value. */
  flags?: readonly string[];
  /** Options with a value, and what that may be. */
  valued?: Readonly<Record<string, RegExp>>;
  /** An option that is also written as its number alone: `-5` for `-n 5`. */
  numbered?: string;
  /** Options of which at least one is required: without it, the program does more. */
  needs?: readonly string[];
  /** The least and the most operands. */
  count?: number;
  most?: number;
}

/** The rule of a program that is no git. */
export interface ProgramRule extends Rule {
  /** Kind of its operands: none, text that is no path, paths in folders, or files whose content it shows. */
  operands: 'none' | 'text' | 'paths' | 'files';
  /** Pattern of a first operand that is no path, and the option that it is passed with, if any. */
  first?: { pattern: RegExp; option?: string };
  /** True if it does not end its options at `--`. */
  isWithoutDashes?: boolean;
  /** Options that are not in the command line and have to be added for it to be harmless. */
  adds?: readonly string[];
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
  if (rule.needs && !options.some((option) => rule.needs?.includes(option))) return null;
  return { options, operands, behind };
}

/** Reads one option, taking its value from `rest` where it stands there; null for one that is not known. */
function optionOf(arg: string, rest: string[], rule: Rule): string[] | null {
  const next = rest[0] ?? '';
  if (rule.flags?.includes(arg) === true) {
    const optional = valueRule(rule, arg);
    return optional?.test(next) === true && !next.startsWith('-') ? [`${arg}=${rest.shift()}`] : [arg];
  }
  if (rule.numbered !== undefined && /^-\d{1,6}$/.test(arg)) return [rule.numbered, arg.slice(1)];
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

function valueRule(rule: Rule, option: string): RegExp | undefined {
  return Object.hasOwn(rule.valued ?? {}, option) ? rule.valued?.[option] : undefined;
}
