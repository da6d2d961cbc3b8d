import { nodeFileSystem } from '../../../utils/files/fileSystem';
import { builtInTopFolders } from '../../git/builtInExcludes';
import { FolderRules } from '../../git/ignoreRules';
import { gitEnvironment } from '../../git/repository';
import { isSystemError } from '../../../utils/errors';

/**
 * Returns the top-level folders that only the built-in list excludes, and
 * that may contain source files as well as build output. See decision 0019.
 */
export function builtInLeftOut(root: string, exclude: readonly string[]): string[] {
  try {
    const options = { fileSystem: nodeFileSystem, environment: gitEnvironment(), exclude };
    const rules = FolderRules.of(root, options);
    const own = FolderRules.of(root, { ...options, isBare: true });
    const folders = nodeFileSystem.list(root).filter((entry) => entry.isDirectory());
    const names = folders.map(({ name }) => name).filter((name) => builtInTopFolders.some((one) => one === name.toLowerCase()));
    return names.filter((name) => rules.isIgnored(name, true) && !own.isIgnored(name, true));
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}
