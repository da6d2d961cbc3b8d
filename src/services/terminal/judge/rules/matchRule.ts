import { fileRules } from './files';
import { macRules } from './mac';
import { networkRules } from './network';
import { packageRules } from './packages';
import { repositoryRules } from './repositories';
import { parseRules, type SeverityRule } from './ruleTable';
import { runnerRules } from './runners';
import type { Shapes } from './shapes';
import { systemRules } from './system';

const byProgram = new Map<string, SeverityRule[]>();
for (const table of [macRules, fileRules, packageRules, repositoryRules, networkRules, runnerRules, systemRules]) {
  for (const [program, rules] of parseRules(table)) byProgram.set(program, [...(byProgram.get(program) ?? []), ...rules]);
}

/** Returns the first rule of a program that matches these arguments, or undefined if none matches. */
export function matchRule(program: string, args: readonly string[], shapes: Shapes): SeverityRule | undefined {
  const name = byProgram.has(program) ? program : program.replace(/(?<=mkfs|newfs)[._].*$|(?<=^pip|^python)\d[\d.]*$/, '');
  return byProgram.get(name)?.find(({ patterns }) => patterns.some((pattern) => isMatch(pattern, args, shapes)));
}

function isMatch(pattern: string, args: readonly string[], shapes: Shapes): boolean {
  let rest = args;
  if (pattern === '') return true;
  return pattern.split(' ').every((token) => {
    const isNegated = token.startsWith('!');
    const condition = isNegated ? token.slice(1) : token;
    if (condition === '<no-sub>') return rest.every((arg) => arg.startsWith('-'));
    if (/^[/<-]/.test(condition)) return holds(condition, args, shapes) !== isNegated;
    const at = subcommandAt(condition.replace('?', ''), rest);
    if (at >= 0) rest = rest.slice(at + 1);
    return condition.endsWith('?') || at >= 0 !== isNegated;
  });
}

function holds(condition: string, args: readonly string[], shapes: Shapes): boolean {
  if (condition.startsWith('<'))
    return args.some((arg, index) => shapes.has(condition.slice(1, -1), arg, index === args.length - 1));
  const regex = /^\/(.*)\/(i?)$/s.exec(condition);
  if (regex) return args.some((arg) => new RegExp(regex[1] ?? '', regex[2]).test(arg));
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return condition.split('|').some((option) => options.some((arg) => isOption(option, arg)));
}

/** Matches an option in any spelling: in full, with a value, abbreviated (`--recurs`), or as one of several letters (`-xf`). */
function isOption(option: string, arg: string): boolean {
  if (arg === option || arg.startsWith(`${option}=`)) return true;
  if (option.startsWith('--')) return arg.length > 4 && option.startsWith(arg.replace(/=.*$/, '')) && arg.startsWith('--');
  if (option.length > 2) return arg.toLowerCase() === option.toLowerCase();
  return /^-[a-zA-Z0-9]+$/.test(arg) && arg.slice(1).includes(option.slice(1));
}

/** Returns the index of the first of these subcommands, or -1. Only options and their values may come before a subcommand. */
function subcommandAt(names: string, args: readonly string[]): number {
  for (const [index, word] of args.entries()) {
    if (word.startsWith('-')) continue;
    if (names.split('|').some((name) => isNamed(name, word))) return index;
    // A word after an option may be its value.
    if (!/^--?[^=]+$/.test(args[index - 1] ?? '')) return -1;
  }
  return -1;
}

/** Matches a subcommand or an allowed abbreviation. For example, `un[link]` allows `un`. */
function isNamed(name: string, word: string): boolean {
  const [least = '', more = ''] = name.replace(']', '').split('[');
  return word.startsWith(least) && `${least}${more}`.startsWith(word);
}
