import { readOnlyGit } from './readOnlyGit';
import { findExpression, readOnlyPrograms, ripgrepFiles } from './readOnlyPrograms';
import { parseArguments, wordList, type ProgramRule } from './readOnlyRules';
import type { GitReach } from './repositoryPrograms';
import { isVersionQuery } from './versionCommands';

/** Program and arguments to run without a shell. */
export interface PlainCommand {
  program: string;
  /** Options first, then operands, because programs differ in how they treat an option after an operand. */
  args: string[];
  /** Paths that the command names, relative to its working directory. */
  paths: string[];
  /** True if the command prints the content of `paths`. All of them are then files. */
  showsContent: boolean;
  /** Parts of the repository that Git reads. Null if the command reads no repository. */
  git: GitReach | null;
  /** True if the program only prints its version, which does not depend on the folder. */
  isVersion: boolean;
}

const maxLength = 500;
/** Matches words without shell metacharacters. */
const plainWord = /^[\p{L}\p{N}_./,:=+-]+$/u;
/** Matches names of commits, such as `HEAD~1` and `@{u}`. After a letter, shells do not expand these characters. */
const revisionWord = /^(?![~^])[\w./@{}~^-]+$/;
const dateFormat = /^\+(%[A-Za-z]|[:/_.T-])+$/;
const formatWord = /^--(pretty|format)=[\w:%.,/+-]+$/;
/** Matches words that are safe inside quotes: no expansion, no invisible characters and no change of text direction. */
const quotedWord = /^[\p{L}\p{N}\p{M} _./,:=+@*?()[\]{}|^<>#~;&-]+$/u;
const quotedFormat = /^[\p{L}\p{N}\p{M} _./,:=+@*?()[\]{}|^<>#~;&%-]+$/u;

/**
 * Parses a command line that is a single read-only command from the known list. It must contain nothing that a shell would
 * interpret. Returns null for all other command lines. Run the result with `runProgram`, without a shell, so that exactly the
 * judged command runs, regardless of the user's shell.
 */
export function readOnlyCommand(command: string): PlainCommand | null {
  const words = splitWords(command);
  if (words === null) return null;
  const [program, ...rest] = words;
  if (program?.isQuoted !== false) return null;
  const name = program.text;
  const args = rest.map(({ text }) => text);
  if (name === 'git') {
    const found = readOnlyGit(args);
    return found && { ...plain(name, found.args, found.files), showsContent: found.files.length > 0, git: found.reach ?? null };
  }
  // These characters are safe only for Git. For other programs, they may be part of a Windows short file name.
  if (rest.some(({ isRevision }) => isRevision)) return null;
  if (isVersionQuery(name, args)) return { ...plain(name, args, []), isVersion: true };
  if (name === 'find') return findCommand(args);
  if (name === 'rg' && args.includes('--files')) return programCommand(name, args, ripgrepFiles);
  const rule = Object.hasOwn(readOnlyPrograms, name) ? readOnlyPrograms[name] : undefined;
  return rule ? programCommand(name, args, rule) : null;
}

function plain(program: string, args: string[], paths: string[]): PlainCommand {
  return { program, args, paths, showsContent: false, git: null, isVersion: false };
}

function programCommand(program: string, args: readonly string[], rule: ProgramRule): PlainCommand | null {
  const found = parseArguments(args, rule);
  if (found === null) return null;
  const operands = [...found.operands, ...(found.afterDashes ?? [])];
  if (rule.operands === 'none' && operands.length > 0) return null;
  const { first } = rule;
  if (first && operands.length > 0 && !first.pattern.test(operands[0] ?? '')) return null;
  const isNaming = rule.operands === 'paths' || rule.operands === 'files';
  const names = first ? operands.slice(1) : operands;
  const lead = first ? [...(first.option === undefined ? [] : [first.option]), ...operands.slice(0, 1)] : [];
  const dashes = rule.lacksDoubleDash === true || names.length === 0 ? [] : ['--'];
  const rebuilt = [...wordList(rule.adds), ...found.options, ...lead, ...dashes, ...names];
  const paths = isNaming ? (names.length > 0 ? names : ['.']) : [];
  return { ...plain(program, rebuilt, paths), showsContent: rule.operands === 'files' };
}

function findCommand(args: readonly string[]): PlainCommand | null {
  const begin = args.findIndex((arg) => arg.startsWith('-'));
  const paths = begin < 0 ? [...args] : args.slice(0, begin);
  const found = parseArguments(begin < 0 ? [] : args.slice(begin), findExpression);
  if (found === null || found.operands.length > 0 || found.afterDashes !== null) return null;
  const places = paths.length > 0 ? paths : ['.'];
  return plain('find', [...places, ...found.options], places);
}

interface Word {
  text: string;
  isQuoted: boolean;
  /** True if the word contains characters that are allowed only in the name of a commit. */
  isRevision: boolean;
}

/** Splits a command into words that are separated only by blanks. Returns null if a shell would have to interpret any part. */
function splitWords(command: string): Word[] | null {
  if (command.length > maxLength) return null;
  const words: Word[] = [];
  const rest = command.replace(/^ +| +$/g, '');
  const pattern = /(?:(-[A-Za-z]|--[a-z][a-z-]*=(?:t?format:)?)?(?:'([^']*)'|"([^"]*)")|([^ '"]+))(?: +|$)/uy;
  while (pattern.lastIndex < rest.length) {
    const found = pattern.exec(rest);
    if (found === null) return null;
    const [, option = '', single, double, bare = ''] = found;
    const quoted = single ?? double;
    const isRevision = quoted === undefined && !plainWord.test(bare) && !dateFormat.test(bare) && !formatWord.test(bare);
    if (quoted === undefined ? isRevision && !revisionWord.test(bare) : !quotedAfter(option).test(quoted)) return null;
    words.push({ text: quoted === undefined ? bare : option + quoted, isQuoted: quoted !== undefined, isRevision });
  }
  const first = words[0]?.text ?? '';
  return /^[a-z][a-z0-9]*$/.test(first) ? words : null;
}

/** Returns the pattern that a quoted value must match. In a log format, `%` is allowed because it is not a shell variable. */
function quotedAfter(option: string): RegExp {
  return /^--(pretty|format)=/.test(option) ? quotedFormat : quotedWord;
}
