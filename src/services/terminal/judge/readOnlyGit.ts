import type { GitReach } from './repositoryPrograms';
import { parseArguments, revision, wordList, type ReadOnlyRule } from './readOnlyRules';

/** Rule for a Git subcommand. Its key may contain a second word, as in `stash list`. */
interface GitRule extends ReadOnlyRule {
  operands: 'none' | 'revisions' | 'patterns' | 'paths' | 'names' | 'blame';
  /** True if file names may follow `--`. */
  mayNameFiles?: boolean;
  /** Options to add to make the command harmless. */
  adds?: string;
  /** Suffix that peels each revision, such as `^{commit}`. Without it, a revision can refer to the content of a file. */
  peel?: string;
  /** Revision to use if none is given. */
  defaultRevision?: string;
  reach?: GitReach;
}

/** Git command to run, and the data that it reads. Without `reach`, it reads no repository. */
export interface GitCommand {
  args: string[];
  /** Files whose content the command prints. */
  files: string[];
  reach?: GitReach;
}

const settingName = /^(user\.(name|email)|init\.defaultbranch|pull\.(rebase|ff)|core\.(autocrlf|eol|filemode|bare))$/i;

const noPrograms = '--no-ext-diff --no-textconv';
const inFiles = '--ignore-submodules=all';
const summaries = '--stat --shortstat --numstat --name-only --name-status --compact-summary --summary --dirstat';
const selecting = '--all --branches --tags --remotes --merges --no-merges --first-parent --reverse';
const choosing =
  '-n:number --max-count:number --skip:number --date:date --format:format --pretty:format --since:text --after:text --until:text ' +
  '--before:text --author:text --committer:text --grep:text --diff-filter:letters --abbrev:number';
const showing =
  '--oneline --graph --decorate --no-decorate --abbrev-commit --follow -i --all-match --invert-grep --no-color --color=never ' +
  '--topo-order --date-order --left-right --no-patch -s --full-history --simplify-by-decoration --decorate=short --no-renames ' +
  '--relative-date';
const refs = '--contains:revision --merged:revision --no-merged:revision --points-at:revision --sort:order';

/** Source: the manual of each command in git 2.51. Excludes options that print file content, write files or run programs. */
const commands: Readonly<Record<string, GitRule>> = {
  status: {
    options:
      '-s -b -sb -uno -uall -unormal --short --branch --porcelain --porcelain=v1 --porcelain=v2 --show-stash --ahead-afterDashes --long',
    operands: 'none',
    adds: inFiles,
    reach: { filters: true },
  },
  log: {
    options: `${showing} ${selecting} ${summaries} -# ${choosing}`,
    operands: 'revisions',
    mayNameFiles: true,
    adds: noPrograms,
  },
  show: {
    options: `${showing} ${selecting} ${summaries} ${choosing}`,
    requiresOneOf: `${summaries} -s --no-patch`,
    operands: 'revisions',
    maxOperands: 5,
    peel: '^{commit}',
    mayNameFiles: true,
    adds: noPrograms,
  },
  diff: {
    options: `${summaries} --cached --staged --no-renames -w -b --no-color --color=never --merge-base --diff-filter:letters`,
    // Without one of these options, `diff` shows file content, which may contain secrets.
    requiresOneOf: summaries,
    operands: 'revisions',
    mayNameFiles: true,
    adds: `${inFiles} ${noPrograms}`,
    reach: { filters: true },
  },
  branch: {
    options: `-a -r -v -vv -av -avv -rv --all --remotes --verbose --list --no-color --color=never --merged --no-merged ${refs}`,
    operands: 'patterns',
    adds: '--list',
  },
  'branch --show-current': { operands: 'none' },
  tag: {
    options: `-l --list -n -n1 -n3 -n5 -n9 --merged --no-merged --no-color ${refs}`,
    operands: 'patterns',
    adds: '--list',
  },
  'stash list': { options: `--oneline -# ${choosing}`, operands: 'none' },
  'ls-files': {
    letters: 'comdsut',
    options: '--cached --others --modified --deleted --exclude-standard --stage --unmerged --full-name',
    operands: 'paths',
    reach: { filters: true },
  },
  'ls-tree': {
    letters: 'rdtl',
    options: '--name-only --full-tree --long',
    operands: 'revisions',
    minOperands: 1,
    maxOperands: 1,
  },
  remote: { operands: 'none' },
  'remote -v': { operands: 'none', reach: { addresses: true } },
  'remote --verbose': { operands: 'none', reach: { addresses: true } },
  'remote get-url': { operands: 'names', minOperands: 1, maxOperands: 1, reach: { addresses: true } },
  'rev-parse': {
    options:
      '--abbrev-ref --short --verify --show-toplevel --is-inside-work-tree --git-dir --absolute-git-dir --show-prefix ' +
      '--symbolic-full-name --is-bare-repository --is-shallow-repository --short=7 --short=8 --short=10 --short=12',
    operands: 'revisions',
  },
  blame: {
    letters: 'wlsfnt',
    options: '--date=short --date=iso --date=relative --porcelain --line-porcelain --show-email -L:lines',
    operands: 'blame',
    minOperands: 1,
    maxOperands: 2,
    adds: '--no-textconv',
    reach: { filters: true },
  },
  shortlog: {
    letters: 'sne',
    options: `--summary --numbered --email ${selecting} --since:text --until:text --author:text`,
    operands: 'revisions',
    defaultRevision: 'HEAD',
  },
  reflog: { options: '-# -n:number --max-count:number --date:date', operands: 'none', adds: 'show' },
  // `--dirty` is excluded because it runs Git in submodules with the settings of the submodule.
  describe: { options: '--tags --always --long --all --exact-match --abbrev:number --match:text', operands: 'revisions' },
  'merge-base': { options: '--all --is-ancestor', operands: 'revisions', minOperands: 2, maxOperands: 2 },
  'rev-list': {
    options: `--count --left-right ${selecting} -# -n:number --max-count:number --since:text`,
    operands: 'revisions',
  },
  'show-ref': { options: '--heads --tags --head', operands: 'none' },
  'for-each-ref': { options: '--sort:order --count:number', operands: 'none' },
  'count-objects': { letters: 'vH', operands: 'none' },
  'worktree list': { options: '--porcelain', operands: 'none' },
  'check-ignore': { letters: 'vn', operands: 'paths', minOperands: 1 },
};

/**
 * Parses the arguments of a Git command and puts them in this order: options, revisions, `--`, names. Returns null unless the
 * command is known to be read-only.
 */
export function readOnlyGit(given: readonly string[]): GitCommand | null {
  const [first = '', second = '', ...rest] = given[0] === '--no-pager' ? given.slice(1) : given;
  if ((first === '--version' || first === 'version') && second === '') return { args: ['--version'], files: [] };
  if (first === 'config') return checkSetting([second, ...rest]);
  const two = `${first} ${second}`;
  const isTwo = Object.hasOwn(commands, two);
  const name = isTwo ? two : first;
  const rule = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const found = rule && parseArguments(isTwo ? rest : given.slice(given.indexOf(first) + 1), rule);
  if (!rule || !found) return null;
  const ordered = checkOperands(rule, found.operands, found.afterDashes, found.options);
  if (ordered === null) return null;
  return {
    args: [...name.split(' '), ...wordList(rule.adds), ...found.options, ...ordered],
    files: rule.operands === 'blame' ? ordered.slice(-1) : [],
    reach: rule.reach ?? {},
  };
}

function checkOperands(rule: GitRule, operands: string[], afterDashes: string[] | null, options: string[]): string[] | null {
  const all = [...operands, ...(afterDashes ?? [])];
  switch (rule.operands) {
    case 'none':
      return all.length === 0 ? [] : null;
    case 'names':
      return afterDashes === null && all.every((name) => /^[\w.-]+$/.test(name)) ? all : null;
    case 'patterns':
      // Without `--list`, a name creates a branch or tag.
      return all.length === 0 || (afterDashes === null && options.some((option) => /^(-l|--list)$/.test(option))) ? all : null;
    case 'paths':
      return all.every(isPathspec) ? ['--', ...all] : null;
    case 'blame': {
      const [file = '', ...revisions] = all.reverse();
      return revisions.every(isRevision) && isPathspec(file) ? [...revisions, '--', file] : null;
    }
    case 'revisions':
      return checkRevisions(rule, operands, afterDashes, options);
  }
}

function checkRevisions(rule: GitRule, operands: string[], afterDashes: string[] | null, options: string[]): string[] | null {
  if (!operands.every(isRevision) || (afterDashes !== null && (rule.mayNameFiles !== true || !afterDashes.every(isPathspec))))
    return null;
  const named =
    operands.length === 0 && rule.defaultRevision !== undefined && !options.some((option) => wordList(selecting).includes(option))
      ? [rule.defaultRevision]
      : operands;
  if (rule.peel !== undefined && named.some((operand) => operand.includes('..'))) return null;
  const peeled = named.map((operand) => `${operand}${rule.peel ?? ''}`);
  if (afterDashes !== null) return [...peeled, '--', ...afterDashes];
  // Without `--`, Git may interpret two words as two files and compare them, inside or outside a repository.
  if (peeled.length > 1 && peeled.some((operand) => /\.[a-z]\w*$/i.test(operand))) return null;
  return rule.mayNameFiles === true && peeled.length > 1 ? [...peeled, '--'] : peeled;
}

/** Allows `git config` to read one key. With two words, it would write a value. */
function checkSetting(given: readonly string[]): GitCommand | null {
  const names = given.filter((word) => word !== '' && word !== '--get');
  const [name = ''] = names;
  return names.length === 1 && settingName.test(name) ? { args: ['config', '--get', name], files: [], reach: {} } : null;
}

/** Returns whether an operand is a revision. A word that contains `..` as a folder name is a path. */
function isRevision(operand: string): boolean {
  return revision.test(operand) && !operand.split('/').includes('..');
}

/** Returns whether an operand is a path or glob in the work tree, without pathspec magic. */
function isPathspec(operand: string): boolean {
  return operand !== '' && !/^[:/\\~]|[\\:]/.test(operand) && !operand.split('/').includes('..');
}
