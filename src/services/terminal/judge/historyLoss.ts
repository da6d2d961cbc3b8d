import path from 'node:path';
import { dialectsOf } from './parse/dialect';
import { readScript } from './parse/readScript';
import { innermost, innerTexts, programOf } from './parse/innerCommands';

/** Git histories that a command may take away. */
export interface HistoryLoss {
  /** Folders, absolute, in whose repositories it may drop commits, branches or stashes. */
  repositories: string[];
  /** Paths, absolute, that it may remove with all that is in them. */
  removed: string[];
}

/** Subcommands of git that drop commits, stashes or references, each with a condition on the words after it. */
const dropping: Readonly<Record<string, RegExp | null>> = {
  ...{
    stash: /^(drop|clear|pop)$/,
    reset: /^--(hard|merge|keep)$/,
    rebase: null,
    gc: null,
    prune: null,
    repack: /^-[a-zA-Z]*[ad]/,
  },
  ...{ reflog: /^(expire|delete)$/, 'update-ref': /^(-d|--delete|--stdin|[^-])/, 'filter-branch': null, 'filter-repo': null },
  ...{ replace: null, push: /^(-f|--force.*|--mirror|--prune|-d|--delete|[+:].*)$/, commit: /^--amend$/, am: /^--(abort|skip)$/ },
  branch: /^(-[a-zA-Z]*[dDMCf][a-zA-Z]*|--delete|--force|--move)$/,
  ...{
    tag: /^(-[a-zA-Z]*[df][a-zA-Z]*|--delete|--force)$/,
    checkout: /^(-B|--orphan|-f|--force)$/,
    switch: /^(-C|--force-create|--orphan|-f|--discard-changes)$/,
  },
  ...{
    worktree: /^(remove|prune)$/,
    submodule: /^deinit$/,
    remote: /^(rm|remove|prune)$/,
    fetch: /^(-p|--prune|-f|--force|\+.*)$/,
  },
  ...{ 'symbolic-ref': null, maintenance: /^run$/, pull: /^(-r|--rebase.*|-f|--force)$/, notes: /^(remove|prune)$/ },
};

const removing = new Set(
  'rm rmdir del erase rd ri remove-item unlink trash srm mv move move-item rename ren mi rsync robocopy'.split(' '),
);
const deepest = 4;

/** Judges by its parse which Git histories a command that runs in `folder` may delete. What only a program in it does cannot be seen. */
export async function historyLossOf(text: string, folder: string, isWindows: boolean): Promise<HistoryLoss> {
  const loss: HistoryLoss = { repositories: [], removed: [] };
  await look(text, { folder, isWindows, depth: 0 }, loss);
  return { repositories: [...new Set(loss.repositories)], removed: [...new Set(loss.removed)] };
}

async function look(text: string, at: { folder: string; isWindows: boolean; depth: number }, loss: HistoryLoss): Promise<void> {
  if (at.depth > deepest) return;
  const [dialect = 'bash'] = dialectsOf(text, at.isWindows);
  let { folder } = at;
  for (const { words } of (await readScript(text, dialect)).commands) {
    const [first, ...args] = innermost(words);
    const program = programOf(first);
    if (/^(cd|chdir|pushd|set-location|sl|push-location)$/.test(program)) {
      folder = path.resolve(folder, args.find((arg) => !arg.startsWith('-')) ?? '');
    } else if (program === 'git') lookAtGit(args, folder, loss);
    else if (removing.has(program)) loss.removed.push(...pathsIn(args, folder));
    else if (program === 'find' && args.some((arg) => /^-(delete|exec|execdir|ok)$/.test(arg))) {
      const start = args.slice(
        0,
        Math.max(
          0,
          args.findIndex((arg) => arg.startsWith('-')),
        ),
      );
      loss.removed.push(...pathsIn(start.length > 0 ? start : ['.'], folder));
    } else if (program === 'xargs') loss.removed.push(folder);
    for (const inner of innerTexts(program, args)) await look(inner.text, { ...at, folder, depth: at.depth + 1 }, loss);
  }
}

function lookAtGit(args: readonly string[], from: string, loss: HistoryLoss): void {
  let folder = from;
  let index = 0;
  for (; index < args.length && args[index]?.startsWith('-'); index += 1) {
    const arg = args[index] ?? '';
    if (arg === '-C' || arg === '--git-dir' || arg === '--work-tree') folder = path.resolve(folder, args[index + 1] ?? '');
    const [, place] = /^--(?:git-dir|work-tree)=(.*)$/.exec(arg) ?? [];
    if (place !== undefined) folder = path.resolve(folder, place);
    if (/^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(arg)) index += 1;
  }
  const [name = '', ...rest] = args.slice(index);
  const condition = Object.hasOwn(dropping, name) ? dropping[name] : undefined;
  if (condition === null || (condition !== undefined && rest.some((word) => condition.test(word))))
    loss.repositories.push(folder);
  if (name === 'clean' || name === 'rm' || name === 'mv')
    loss.removed.push(...pathsIn(rest.length > 0 ? [...rest, '.'] : ['.'], folder));
}

/** Returns the paths that words name; one with a pattern or a variable stands for the folder that it begins with. */
function pathsIn(words: readonly string[], folder: string): string[] {
  return words
    .filter((word) => !word.startsWith('-'))
    .map((word) => {
      const at = word.search(/[*?[\]$`{]/);
      return path.resolve(folder, at < 0 ? word : path.dirname(`${word.slice(0, at)}x`));
    });
}
