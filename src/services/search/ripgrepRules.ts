import { stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { nodeFileSystem } from '../../utils/files/fileSystem';
import { configOf, gitEnvironment } from '../git/repository';
import { alwaysIgnored, isRuledBy, repositoryAround } from './searchRules';

/** Rules that make ripgrep search what git would name: it reads `.gitignore` files itself and has to be told the rest. */
export interface RipgrepRules {
  /** Folder to run in, which the rules are relative to. */
  base: string;
  /** The folder to be searched, as seen from there, and with a `/` at its end. */
  prefix: string;
  args: string[];
}

export async function ripgrepRules(folder: string): Promise<RipgrepRules> {
  const repository = repositoryAround(folder);
  const { ignoreCase, excludesFile } = repository?.config ?? configOf(gitEnvironment(), nodeFileSystem);
  const base = repository !== null && isRuledBy(repository, folder) ? repository.top : folder;
  // Of two, ripgrep takes the later one to be the stronger.
  const excludes = [excludesFile, repository && join(repository.commonDirectory, 'info', 'exclude')];
  const args = ['--no-ignore-dot', '--no-ignore-global', '--no-ignore-exclude'];
  if (base === folder) args.push('--no-ignore-parent', '--no-require-git');
  if (ignoreCase) args.push('--ignore-file-case-insensitive');
  for (const file of excludes) if (file !== null && (await isFile(file))) args.push('--ignore-file', file);
  args.push(...alwaysIgnored.flatMap((name) => ['--glob', `!**/${name}/**`]));
  const prefix = relative(base, folder).split(sep).join('/');
  return { base, prefix: prefix === '' ? './' : `./${prefix}/`, args };
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
