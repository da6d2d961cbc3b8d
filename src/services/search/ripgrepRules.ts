import { stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { nodeFileSystem } from '../../utils/files/fileSystem';
import { loadConfig, gitEnvironment } from '../git/repository';
import { alwaysIgnored, rulesApplyIn, findSearchRepository } from './searchRules';

/**
 * Arguments that make ripgrep ignore the same files as Git. ripgrep
 * reads `.gitignore` files itself. All other rules must be arguments.
 */
export interface RipgrepRules {
  /** Working directory. The rules are relative to it. */
  base: string;
  /** Folder to search, relative to `base`, with a trailing `/`. */
  prefix: string;
  args: string[];
}

export async function ripgrepRules(folder: string): Promise<RipgrepRules> {
  const repository = findSearchRepository(folder);
  const { ignoreCase, excludesFile } = repository?.config ?? loadConfig(gitEnvironment(), nodeFileSystem);
  const base = repository !== null && rulesApplyIn(repository, folder) ? repository.top : folder;
  // In ripgrep, later ignore files take precedence.
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
