import path from 'node:path';
import { runGit, type PlainGit } from './gitProcess';
import { argumentsFor, type GitPlace } from './repositories';

/** Reads the index as lines of `git ls-files --stage -z`. Each character is one byte. */
export function readStaged(git: PlainGit, place: GitPlace, signal: AbortSignal): Promise<string> {
  return runGit(git, [...argumentsFor(place), 'ls-files', '--stage', '-z'], { signal, encoding: 'latin1' });
}

/** Author of the commit that contains the index. The user's settings are not read. */
const author = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Ollama Copilot'],
    [`GIT_${role}_EMAIL`, 'ollama-copilot@localhost'],
  ]),
);

/**
 * Commits the index to the repository with this `--git-dir`. The versions of a file in conflict become `<path>~1` (base), `~2`
 * (ours) and `~3` (theirs). Resolves with null if `head` has the same content. Rejects if Git fails.
 */
export async function commitStaged(
  git: PlainGit,
  staged: string,
  { directory, head }: { directory: string; head: string | null },
  signal: AbortSignal,
): Promise<string | null> {
  const env = { ...author, GIT_INDEX_FILE: path.join(directory, 'staged-index') };
  const ask = (args: string[], input = '') =>
    runGit(git, ['--git-dir', directory, ...args], { signal, input, env, encoding: 'latin1' });
  // The index refers to the empty blob for paths that have no content yet.
  await ask(['hash-object', '-w', '-t', 'blob', '--stdin']);
  await ask(['update-index', '-z', '--index-info'], staged.replace(/(^|\0)(\d+ [\da-f]+) ([123])\t([^\0]*)/g, '$1$2 0\t$4~$3'));
  const tree = (await ask(['write-tree'])).trim();
  const committed = head === null ? '' : (await ask(['rev-parse', `${head}^{tree}`])).trim();
  if (tree === committed || (head === null && staged === '')) return null;
  return (await ask(['commit-tree', tree, ...(head === null ? [] : ['-p', head]), '-m', 'Staged content'])).trim();
}
