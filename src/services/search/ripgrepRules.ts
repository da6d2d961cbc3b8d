import { stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { nodeFileSystem } from '../checkpoint/fileSystem';
import { bytesOf, textOf } from '../checkpoint/scan/gitPattern';
import { configOf, gitEnvironment } from '../checkpoint/scan/repository';
import { throwIfAborted } from '../../utils/errors';
import { alwaysIgnored, repositoryAround, ruledBy, type IgnoredPaths } from './ignoreRules';
import { maxFileBytes } from './textQuery';

/** Names looked at between two turns of the event loop. */
const sliceSize = 200;

/** How ripgrep comes to search what git would name: it reads `.gitignore` files itself, and has to be told the rest. */
export interface RipgrepRules {
  /** Where it is to stand: what the rules are relative to. */
  base: string;
  /** The folder to be searched, as seen from there, and with a `/` at its end. */
  prefix: string;
  args: string[];
}

export async function ripgrepRules(folder: string): Promise<RipgrepRules> {
  const repository = repositoryAround(folder);
  const ruler = ruledBy(folder);
  const { ignoreCase, excludesFile } = repository?.config ?? configOf(gitEnvironment(), nodeFileSystem);
  const base = ruler?.top ?? folder;
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

/** The files in a folder, from there, that ripgrep would pass over although git tracks them; large ones are left out. */
export async function forcedFiles(folder: string, paths: IgnoredPaths, signal: AbortSignal): Promise<string[]> {
  const repository = ruledBy(folder);
  if (repository === null) return [];
  const forced: string[] = [];
  const above = relative(repository.top, folder).split(sep).join('/');
  const prefix = above === '' ? '' : `${bytesOf(above)}/`;
  const { asWritten } = await paths.tracked.of(repository);
  for (const [index, name] of asWritten.entries()) {
    if (index % sliceSize === sliceSize - 1) await setImmediate();
    throwIfAborted(signal);
    if (!name.startsWith(prefix)) continue;
    const path = textOf(name.slice(prefix.length));
    if ((await paths.isForced(path)) && (await isFile(join(folder, path), maxFileBytes))) forced.push(path);
  }
  return forced;
}

async function isFile(file: string, maxBytes = Infinity): Promise<boolean> {
  return stat(file).then(
    (stats) => stats.isFile() && stats.size <= maxBytes,
    () => false,
  );
}
