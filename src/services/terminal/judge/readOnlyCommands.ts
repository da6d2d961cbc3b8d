import { readOnlyGit } from './readOnlyGit';
import { findExpression, readOnlyPrograms, ripgrepFiles } from './readOnlyPrograms';
import { arrange, wordList, type ProgramRule } from './readOnlyRules';
import type { GitReach } from './repositoryPrograms';
import { asksVersion } from './versionCommands';

/** A program and its arguments, to be run as they are, without a shell. */
export interface PlainCommand {
  program: string;
  /** Options first, then names, as programs differ in what an option behind a name is. */
  args: string[];
  /** Paths that it names, relative to its folder. */
  paths: string[];
  /** True if it shows the content of `paths`, which are then all files. */
  showsContent: boolean;
  /** Parts of a repository that git reaches; null if it looks at no repository. */
  git: GitReach | null;
  /** True if it prints its version, wherever it runs. */
  isVersion: boolean;
}

const maxLength = 500;
/** Words without any character that a shell gives a meaning to, wherever it stands in a word. */
const plainWord = /^[\p{L}\p{N}_./,:=+-]+$/u;
/** Names of commits, such as `HEAD~1` and `@{u}`: no shell does anything with these signs behind a letter. */
const revisionWord = /^(?![~^])[\w./@{}~^-]+$/;
const dateFormat = /^\+(%[A-Za-z]|[:/_.T-])+$/;
const formatWord = /^--(pretty|format)=[\w:%.,/+-]+$/;
/** Words of which nothing is invisible, turns text round or would be expanded between quotes. */
const quotedWord = /^[\p{L}\p{N}\p{M} _./,:=+@*?()[\]{}|^<>#~;&-]+$/u;
const quotedFormat = /^[\p{L}\p{N}\p{M} _./,:=+@*?()[\]{}|^<>#~;&%-]+$/u;

/**
 * Parses a command line that is one simple command of the short list of those that only read, and has nothing in it that
 * a shell
 * would act on; returns null for everything else. Run the result without a shell, by `runProgram`: then exactly what was
 * judged
 * here runs, whatever shell a person has.
 */
export function readOnlyCommand(command: string): PlainCommand | null {
  const words = wordsOf(command);
  if (words === null) return null;
  const [program, ...rest] = words;
  if (program?.isQuoted !== false) return null;
  const name = program.text;
  const args = rest.map(({ text }) => text);
  if (name === 'git') {
    const found = readOnlyGit(args);
    return found && { ...plain(name, found.args, found.files), showsContent: found.files.length > 0, git: found.reach ?? null };
  }
  // Signs of git's only: elsewhere they may be part of a short name of a file.
  if (rest.some(({ isRevision }) => isRevision)) return null;
  if (asksVersion(name, args)) return { ...plain(name, args, []), isVersion: true };
  if (name === 'find') return findCommand(args);
  if (name === 'rg' && args.includes('--files')) return programCommand(name, args, ripgrepFiles);
  const rule = Object.hasOwn(readOnlyPrograms, name) ? readOnlyPrograms[name] : undefined;
  return rule ? programCommand(name, args, rule) : null;
}

function plain(program: string, args: string[], paths: string[]): PlainCommand {
  return { program, args, paths, showsContent: false, git: null, isVersion: false };
}

function programCommand(program: string, args: readonly string[], rule: ProgramRule): PlainCommand | null {
  const found = arrange(args, rule);
  if (found === null) return null;
  const operands = [...found.operands, ...(found.behind ?? [])];
  if (rule.operands === 'none' && operands.length > 0) return null;
  const { first } = rule;
  if (first && operands.length > 0 && !first.pattern.test(operands[0] ?? '')) return null;
  const isNaming = rule.operands === 'paths' || rule.operands === 'files';
  const names = first ? operands.slice(1) : operands;
  const lead = first ? [...(first.option === undefined ? [] : [first.option]), ...operands.slice(0, 1)] : [];
  const dashes = rule.isWithoutDashes === true || names.length === 0 ? [] : ['--'];
  const rebuilt = [...wordList(rule.adds), ...found.options, ...lead, ...dashes, ...names];
  const paths = isNaming ? (names.length > 0 ? names : ['.']) : [];
  return { ...plain(program, rebuilt, paths), showsContent: rule.operands === 'files' };
}

function findCommand(args: readonly string[]): PlainCommand | null {
  const begin = args.findIndex((arg) => arg.startsWith('-'));
  const paths = begin < 0 ? [...args] : args.slice(0, begin);
  const found = arrange(begin < 0 ? [] : args.slice(begin), findExpression);
  if (found === null || found.operands.length > 0 || found.behind !== null) return null;
  const places = paths.length > 0 ? paths : ['.'];
  return plain('find', [...places, ...found.options], places);
}

interface Word {
  text: string;
  isQuoted: boolean;
  /** True if it has characters that have a meaning only in the name of a commit. */
  isRevision: boolean;
}

/** Splits a command into words with nothing but blanks between them; null for anything that has to be interpreted. */
function wordsOf(command: string): Word[] | null {
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

/** Returns the pattern of a quoted value: in the form of a log, a per cent sign is none of a shell's. */
function quotedAfter(option: string): RegExp {
  return /^--(pretty|format)=/.test(option) ? quotedFormat : quotedWord;
}
