import type { GitReach } from './repositoryPrograms';
import { arrange, revision, wordList, type Rule } from './readOnlyRules';

/** The rule of one of git's commands, by its name and what of its words belongs to that: `stash list`. */
interface GitRule extends Rule {
  operands: 'none' | 'revisions' | 'patterns' | 'paths' | 'names' | 'blame';
  /** Names of files may follow behind `--`. */
  mayNameFiles?: boolean;
  /** Options that have to be added for it to be harmless. */
  adds?: string;
  /** Suffix that peels each revision, such as `^{commit}`: the content of a file has a name too. */
  peel?: string;
  /** Name that it looks at if none is given. */
  otherwise?: string;
  reach?: GitReach;
}

/** A git command to run, and what it reaches; without a reach it looks at no repository. */
export interface GitCommand {
  args: string[];
  /** Files whose content it shows. */
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

/** Source: the manual of each command in git 2.51; options that show the content of files, write or run are left out. */
const commands: Readonly<Record<string, GitRule>> = {
  status: {
    options:
      '-s -b -sb -uno -uall -unormal --short --branch --porcelain --porcelain=v1 --porcelain=v2 --show-stash --ahead-behind --long',
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
    needs: `${summaries} -s --no-patch`,
    operands: 'revisions',
    most: 5,
    peel: '^{commit}',
    mayNameFiles: true,
    adds: noPrograms,
  },
  diff: {
    options: `${summaries} --cached --staged --no-renames -w -b --no-color --color=never --merge-base --diff-filter:letters`,
    // Without one of these it shows what is in files, which may be secrets.
    needs: summaries,
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
  'ls-tree': { letters: 'rdtl', options: '--name-only --full-tree --long', operands: 'revisions', count: 1, most: 1 },
  remote: { operands: 'none' },
  'remote -v': { operands: 'none', reach: { addresses: true } },
  'remote --verbose': { operands: 'none', reach: { addresses: true } },
  'remote get-url': { operands: 'names', count: 1, most: 1, reach: { addresses: true } },
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
    count: 1,
    most: 2,
    adds: '--no-textconv',
    reach: { filters: true },
  },
  shortlog: {
    letters: 'sne',
    options: `--summary --numbered --email ${selecting} --since:text --until:text --author:text`,
    operands: 'revisions',
    otherwise: 'HEAD',
  },
  reflog: { options: '-# -n:number --max-count:number --date:date', operands: 'none', adds: 'show' },
  // With `--dirty` it runs git in submodules, by the settings of those.
  describe: { options: '--tags --always --long --all --exact-match --abbrev:number --match:text', operands: 'revisions' },
  'merge-base': { options: '--all --is-ancestor', operands: 'revisions', count: 2, most: 2 },
  'rev-list': {
    options: `--count --left-right ${selecting} -# -n:number --max-count:number --since:text`,
    operands: 'revisions',
  },
  'show-ref': { options: '--heads --tags --head', operands: 'none' },
  'for-each-ref': { options: '--sort:order --count:number', operands: 'none' },
  'count-objects': { letters: 'vH', operands: 'none' },
  'worktree list': { options: '--porcelain', operands: 'none' },
  'check-ignore': { letters: 'vn', operands: 'paths', count: 1 },
};

/** Returns the git command that words ask for, arranged as options, revisions, `--` and names; null for all others. */
export function readOnlyGit(given: readonly string[]): GitCommand | null {
  const [first = '', second = '', ...rest] = given[0] === '--no-pager' ? given.slice(1) : given;
  if ((first === '--version' || first === 'version') && second === '') return { args: ['--version'], files: [] };
  if (first === 'config') return settingOf([second, ...rest]);
  const two = `${first} ${second}`;
  const isTwo = Object.hasOwn(commands, two);
  const name = isTwo ? two : first;
  const rule = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const found = rule && arrange(isTwo ? rest : given.slice(given.indexOf(first) + 1), rule);
  if (!rule || !found) return null;
  const ordered = operandsOf(rule, found.operands, found.behind, found.options);
  if (ordered === null) return null;
  return {
    args: [...name.split(' '), ...wordList(rule.adds), ...found.options, ...ordered],
    files: rule.operands === 'blame' ? ordered.slice(-1) : [],
    reach: rule.reach ?? {},
  };
}

function operandsOf(rule: GitRule, operands: string[], behind: string[] | null, options: string[]): string[] | null {
  const all = [...operands, ...(behind ?? [])];
  switch (rule.operands) {
    case 'none':
      return all.length === 0 ? [] : null;
    case 'names':
      return behind === null && all.every((name) => /^[\w.-]+$/.test(name)) ? all : null;
    case 'patterns':
      // Elsewhere a name is one to be made.
      return all.length === 0 || (behind === null && options.some((option) => /^(-l|--list)$/.test(option))) ? all : null;
    case 'paths':
      return all.every(isPathspec) ? ['--', ...all] : null;
    case 'blame': {
      const [file = '', ...revisions] = all.reverse();
      return revisions.every(isRevision) && isPathspec(file) ? [...revisions, '--', file] : null;
    }
    case 'revisions':
      return revisionsOf(rule, operands, behind, options);
  }
}

function revisionsOf(rule: GitRule, operands: string[], behind: string[] | null, options: string[]): string[] | null {
  if (!operands.every(isRevision) || (behind !== null && (rule.mayNameFiles !== true || !behind.every(isPathspec)))) return null;
  const named =
    operands.length === 0 && rule.otherwise !== undefined && !options.some((option) => wordList(selecting).includes(option))
      ? [rule.otherwise]
      : operands;
  if (rule.peel !== undefined && named.some((operand) => operand.includes('..'))) return null;
  const peeled = named.map((operand) => `${operand}${rule.peel ?? ''}`);
  if (behind !== null) return [...peeled, '--', ...behind];
  // Two words may be two files, which git compares wherever they are, unless it is told that they are none.
  if (peeled.length > 1 && peeled.some((operand) => /\.[a-z]\w*$/i.test(operand))) return null;
  return rule.mayNameFiles === true && peeled.length > 1 ? [...peeled, '--'] : peeled;
}

/** Allows `git config` to read one name: with two words it writes. */
function settingOf(given: readonly string[]): GitCommand | null {
  const names = given.filter((word) => word !== '' && word !== '--get');
  const [name = ''] = names;
  return names.length === 1 && settingName.test(name) ? { args: ['config', '--get', name], files: [], reach: {} } : null;
}

/** Returns whether it is a name of the repository; what leads out of a folder is a path. */
function isRevision(operand: string): boolean {
  return revision.test(operand) && !operand.split('/').includes('..');
}

/** Returns whether it names files of the work tree, by a pattern or not, without any of git's signs for more. */
function isPathspec(operand: string): boolean {
  return operand !== '' && !/^[:/\\~]|[\\:]/.test(operand) && !operand.split('/').includes('..');
}
