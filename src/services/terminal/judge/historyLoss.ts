import path from 'node:path';
import { guessDialects } from './parse/dialect';
import { readScript } from './parse/readScript';
import { changesFolder, gitParts, innermost, innerTexts, programName, findStarts } from './parse/innerCommands';

export interface HistoryLoss {
  /** Absolute paths of repositories or of their data folders that may lose commits, branches, stashes or staged content. */
  repositories: string[];
  /** Absolute paths that the command may remove recursively, or overwrite inside the data folder of a repository. */
  removed: string[];
}

/** One `git clean` call in a command. */
export interface GitClean {
  /** Absolute path of the folder in which it runs. */
  folder: string;
  /** Arguments after `clean`. */
  words: string[];
  /** False if options or variables change the settings or the repository. */
  isPlain: boolean;
}

interface Found extends HistoryLoss {
  cleans: GitClean[];
}

/** Git subcommands that can drop commits, stashes, references or staged content, regardless of their arguments. */
const dropping = new Set('rebase gc prune filter-branch filter-repo read-tree replace reset symbolic-ref'.split(' '));
/** Git subcommands that can drop history only if one of their arguments matches. */
const droppingWith: ReadonlyMap<string, RegExp> = new Map([
  ['am', /^--(abort|skip)$/],
  ['branch', /^(-[a-zA-Z]*[dDMCf][a-zA-Z]*|--delete|--force|--move)$/],
  ['checkout', /^(-B|--orphan|-f|--force|--)$/],
  ['cherry-pick', /^--(abort|skip)$/],
  ['commit', /^--amend$/],
  ['fetch', /^(-p|--prune|-f|--force|\+.*)$/],
  ['maintenance', /^run$/],
  ['merge', /^--abort$/],
  ['notes', /^(remove|prune)$/],
  ['pull', /^(-r|--rebase.*|-f|--force)$/],
  ['push', /^(-f|--force.*|--mirror|--prune|-d|--delete|[+:].*)$/],
  ['reflog', /^(expire|delete)$/],
  ['remote', /^(rm|remove|prune)$/],
  ['repack', /^-[a-zA-Z]*[ad]/],
  ['restore', /^(-[a-zA-Z]*S[a-zA-Z]*|--staged)$/],
  ['revert', /^--(abort|skip)$/],
  ['stash', /^(drop|clear|pop)$/],
  ['submodule', /^deinit$/],
  ['switch', /^(-C|--force-create|--orphan|-f|--discard-changes)$/],
  ['tag', /^(-[a-zA-Z]*[df][a-zA-Z]*|--delete|--force)$/],
  ['update-ref', /^(-d|--delete|--stdin|[^-])/],
  ['worktree', /^(remove|prune)$/],
]);

const removing = new Set(
  'rm rmdir del erase rd ri remove-item unlink trash srm mv move move-item rename ren mi rsync robocopy'.split(' '),
);
/** Programs that only read their arguments. */
const reading = new Set(
  'cat cd cmp diff dir du echo file find grep head less ls more printf pwd rg sort stat tail test tree type wc which'.split(' '),
);
/** Matches a path inside the data folder of a repository. */
const gitData = /(^|[\\/=])\.git([\\/]|$)/;
/** Variables that make Git use another repository. */
const placing = /^(GIT_(?:DIR|WORK_TREE|COMMON_DIR|OBJECT_DIRECTORY))=(.+)$/s;
const maxDepth = 4;

interface ScanPlace {
  folder: string;
  isWindows: boolean;
  depth: number;
  /** Repositories named by variables. */
  named: string[];
}

/**
 * Parses a command that runs in `folder` and finds the Git histories that it may delete. Does not detect the effects of the
 * programs that the command starts.
 */
export async function findHistoryLoss(text: string, folder: string, isWindows: boolean): Promise<HistoryLoss> {
  const loss = await found(text, folder, isWindows);
  return { repositories: [...new Set(loss.repositories)], removed: [...new Set(loss.removed)] };
}

/** Returns the `git clean` calls in a command that runs in `folder`, without dry runs. */
export async function gitCleansIn(text: string, folder: string, isWindows: boolean): Promise<GitClean[]> {
  return (await found(text, folder, isWindows)).cleans;
}

async function found(text: string, folder: string, isWindows: boolean): Promise<Found> {
  const loss: Found = { repositories: [], removed: [], cleans: [] };
  await scan(text, { folder, isWindows, depth: 0, named: [] }, loss);
  return loss;
}

async function scan(text: string, at: ScanPlace, loss: Found): Promise<void> {
  if (at.depth > maxDepth) return;
  const [dialect = 'bash'] = guessDialects(text, at.isWindows);
  let { folder } = at;
  const named = [...at.named];
  for (const { words, assigned, writesTo } of (await readScript(text, dialect)).commands) {
    const settings = [...words, ...assigned.map(({ name, value }) => `${name}=${value}`)];
    for (const setting of settings) {
      const place = placing.exec(setting)?.[2];
      if (place !== undefined) named.push(path.resolve(folder, place));
    }
    const [first, ...args] = innermost(words);
    const program = programName(first);
    if (changesFolder(program)) folder = path.resolve(folder, args.find((arg) => !arg.startsWith('-')) ?? '');
    else if (program === 'git') scanGit(args, { folder, named }, loss);
    else if (removing.has(program)) loss.removed.push(...pathsIn(args, folder));
    else if (program === 'find' && args.some((arg) => /^-(delete|exec|execdir|ok)$/.test(arg)))
      loss.removed.push(...pathsIn(findStarts(args).length > 0 ? findStarts(args) : ['.'], folder));
    else if (program === 'xargs') loss.removed.push(folder);
    const written = [...(program === 'git' || reading.has(program) ? [] : args), ...writesTo].filter((word) =>
      gitData.test(word),
    );
    loss.removed.push(
      ...pathsIn(
        written.map((word) => word.replace(/^[\w-]+=/, '')),
        folder,
      ),
    );
    for (const inner of innerTexts(program, args)) await scan(inner.text, { ...at, folder, depth: at.depth + 1, named }, loss);
  }
}

function scanGit(args: readonly string[], { folder: from, named }: Pick<ScanPlace, 'folder' | 'named'>, loss: Found): void {
  const { options, rest } = gitParts(args);
  let folder = from;
  for (const [index, option] of options.entries()) {
    const place = /^(?:-C|--git-dir|--work-tree)(?:=(.*))?$/.exec(option);
    if (place) folder = path.resolve(folder, place[1] ?? options[index + 1] ?? '');
  }
  const [name = '', ...words] = rest;
  if (dropping.has(name) || words.some((word) => droppingWith.get(name)?.test(word) === true))
    loss.repositories.push(folder, ...named);
  if (name === 'clean') {
    const isPlain = named.length === 0 && options.every((option, index) => option === '-C' || options[index - 1] === '-C');
    loss.cleans.push({ folder, words, isPlain });
  }
  if (/^(clean|rm|mv)$/.test(name)) loss.removed.push(...pathsIn([...words, '.'], folder));
}

/** Resolves words to paths. If a word contains a glob or a variable, its path is the folder before the first such part. */
function pathsIn(words: readonly string[], folder: string): string[] {
  return words
    .filter((word) => !word.startsWith('-'))
    .map((word) => {
      const at = word.search(/[*?[\]$`{]/);
      return path.resolve(folder, at < 0 ? word : path.dirname(`${word.slice(0, at)}x`));
    });
}
