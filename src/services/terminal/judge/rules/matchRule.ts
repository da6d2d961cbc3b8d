import type { Rule } from './rule';
import { fileRules } from './files';
import { networkRules } from './network';
import { packageRules } from './packages';
import { repositoryRules } from './repositories';
import { runnerRules } from './runners';
import { systemRules } from './system';
import type { Shapes } from './shapes';

/** Lists all rules, which the tests look through. */
export const allRules = [...fileRules, ...packageRules, ...repositoryRules, ...networkRules, ...runnerRules, ...systemRules];

const byProgram = new Map<string, Rule[]>();
for (const { programs, rules } of allRules) {
  for (const program of programs.split(' ')) byProgram.set(program, [...(byProgram.get(program) ?? []), ...rules]);
}

/** Returns the first rule that holds for a program with these arguments; undefined where none is known. */
export function matchRule(program: string, args: readonly string[], shapes: Shapes): Rule | undefined {
  const name = byProgram.has(program) ? program : program.replace(/(?<=mkfs|newfs)[._].*$|(?<=^pip|^python)\d[\d.]*$/, '');
  return byProgram.get(name)?.find(([, , pattern]) => isMatch(pattern, args, shapes));
}

function isMatch(pattern: string, args: readonly string[], shapes: Shapes): boolean {
  let rest = subcommands(args);
  return pattern
    .split(' ')
    .filter((token) => token !== '')
    .every((token) => {
      const isNegated = token.startsWith('!');
      const plain = isNegated ? token.slice(1) : token;
      if (plain === '<no-sub>') return rest.length === 0;
      if (/^[/<-]/.test(plain)) return holds(plain, args, shapes) !== isNegated;
      const found = rest.find(({ word, isFirst }) => isFirst && plain.split('|').includes(word));
      rest = found ? subcommands(args.slice(found.at + 1), found.at + 1) : rest;
      return (found !== undefined) !== isNegated;
    });
}

function holds(token: string, args: readonly string[], shapes: Shapes): boolean {
  if (token.startsWith('<')) return args.some((arg, index) => shapes.has(token.slice(1, -1), arg, index === args.length - 1));
  const regex = /^\/(.*)\/(i?)$/s.exec(token);
  if (regex) return args.some((arg) => new RegExp(regex[1] ?? '', regex[2]).test(arg));
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return token.split('|').some((option) => options.some((arg) => isOption(option, arg)));
}

/** Tells whether an argument is this option: spelled out, with a value, shortened (`--recurs`), or a letter among others (`-xf`). */
function isOption(option: string, arg: string): boolean {
  if (arg === option || arg.startsWith(`${option}=`)) return true;
  if (option.startsWith('--')) return arg.length > 4 && option.startsWith(arg.replace(/=.*$/, '')) && arg.startsWith('--');
  if (option.length > 2) return arg.toLowerCase() === option.toLowerCase();
  return /^-[a-zA-Z0-9]+$/.test(arg) && arg.slice(1).includes(option.slice(1));
}

interface Operand {
  word: string;
  at: number;
  /** True if it may be the subcommand: everything before it may be options and their values. */
  isFirst: boolean;
}

function subcommands(args: readonly string[], offset = 0): Operand[] {
  const operands: Operand[] = [];
  let isFirst = true;
  args.forEach((word, index) => {
    if (word.startsWith('-')) return;
    operands.push({ word, at: offset + index, isFirst });
    // What stands behind an option may be its value.
    if (!/^--?[^=]+$/.test(args[index - 1] ?? '')) isFirst = false;
  });
  return operands;
}
