import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep, win32 } from 'node:path';
import { isDatabase } from '../database/sqlite/databaseFile';
import { neverFiles, NeverRules } from '../git/neverRules';
import { isSameName } from '../../utils/files/foldedName';
import { isInside } from '../../utils/files/isInside';
import { phrase, withAdvice } from '../../utils/l10n';
import { windowsNameProblem } from '../../utils/files/windowsNames';
import { asOnDisk } from './diskSpelling';
import { followLinks } from './followLinks';
import { PathError } from './pathError';
import type { WorkspaceFolder, WorkspacePort } from './workspacePorts';

export interface ResolvedPath {
  /** Absolute path without symbolic links in its existing part. */
  real: string;
  /** Path relative to the workspace, with `/`. If there are several folders, the folder's name comes first. */
  shown: string;
  exists: boolean;
}

/** Path inside or outside the workspace. */
export interface LocatedPath extends ResolvedPath {
  /** Names of the path before and after following links: relative to its folder, with the folder's name, or absolute. */
  names: string[];
  /** Names of the path after following links. */
  realNames: string[];
  /** True if the path is outside the workspace. `shown` is then the real path. */
  isOutside: boolean;
  /** Innermost workspace folder that contains the path or is the path. Null if it is outside. */
  root: string | null;
}

/** Workspace folder. Paths in it start with `prefix`. */
export interface WorkspaceRoot extends ResolvedPath {
  prefix: string;
}

/**
 * Resolves paths given by a model to real paths in the workspace. Throws
 * `PathError`. Follows links before the check, so that no link can lead outside.
 */
export class WorkspacePaths {
  private readonly isWindows: boolean;

  constructor(
    private readonly workspace: Pick<WorkspacePort, 'folders'>,
    platform: NodeJS.Platform = process.platform,
  ) {
    this.isWindows = platform === 'win32';
  }

  /** Resolves a path inside the workspace. Rejects if the path is outside. */
  async resolve(path: string): Promise<LocatedPath> {
    const located = await this.locate(path);
    if (located.isOutside) throw outside(path, located.real);
    return located;
  }

  /** Resolves any path, for tools that require approval before they access paths outside. */
  async locate(path: string): Promise<LocatedPath> {
    const folders = await this.realFolders();
    const target = await asOnDisk(normalizePath(this.clean(path, folders), folders));
    const { real, exists } = await followLinks(target, path);
    if (isDatabase(real)) throw ownDatabase(path);
    const holders = folders.filter(({ path: root }) => isInside(real, root));
    const [folder] = holders;
    const ownFolder = folders.find(({ path: root }) => isInside(target, root));
    const hasSeveral = folders.length > 1;
    const realNames = listNames(real, folder, hasSeveral);
    const names = [...new Set([...listNames(target, ownFolder, hasSeveral), ...realNames])];
    const called = { names, realNames };
    if (!folder) return { real, shown: real.split(sep).join('/'), exists, ...called, isOutside: true, root: null };
    const rules = closingRules([target, real], [...holders, ...(ownFolder ? [ownFolder] : [])]);
    if (rules !== undefined) throw closed(path, rules);
    const root = holders.reduce((one, other) => (other.path.length > one.path.length ? other : one)).path;
    return { real, shown: shownPath(real, folder, hasSeveral), exists, ...called, isOutside: false, root };
  }

  /** Throws if a path is a link, because deleting or moving it would not affect its target. */
  async assertNoLink(path: string): Promise<void> {
    const folders = await this.realFolders();
    const target = await asOnDisk(normalizePath(this.clean(path, folders), folders));
    const isLink = await lstat(target).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    if (isLink) throw new PathError('invalid', withAdvice(phrase('{0} is a link.', path), 'Give the path of its target.'));
  }

  /** Returns the first folder. Commands run in it by default. */
  async defaultFolder(): Promise<ResolvedPath> {
    return (await this.roots())[0] as WorkspaceRoot;
  }

  /** Returns all workspace folders. There is at least one. */
  async roots(): Promise<WorkspaceRoot[]> {
    const folders = await this.realFolders();
    if (folders.length === 0) throw noFolder();
    return folders.map((folder) => {
      const shown = shownPath(folder.path, folder, folders.length > 1);
      return { real: folder.path, shown, exists: true, prefix: folders.length > 1 ? `${folder.name}/` : '' };
    });
  }

  /**
   * Returns the locations to search: `path`, or all folders if `path` is missing or `.`.
   * A location outside the workspace is its own root and requires the user's approval.
   */
  async places(path: string | undefined): Promise<{ place: ResolvedPath; root: WorkspaceRoot; isOutside: boolean }[]> {
    const roots = await this.roots();
    const isHere = path === undefined || /^\s*\.?[/\\]*\s*$/.test(path);
    if (isHere) return roots.map((root) => ({ place: root, root, isOutside: false }));
    const { real, shown, exists, isOutside, root: own } = await this.locate(path);
    const place = { real, shown, exists };
    const root = isOutside ? { ...place, prefix: '' } : roots.find((one) => one.real === own);
    return root ? [{ place, root, isOutside }] : [];
  }

  private clean(path: string, folders: readonly WorkspaceFolder[]): string {
    const roots = [...folders, ...this.workspace.folders()].map((folder) => folder.path);
    return cleanPath(path, this.isWindows, roots);
  }

  private async realFolders(): Promise<WorkspaceFolder[]> {
    return Promise.all(
      this.workspace.folders().map(async ({ name, path }) => ({ name, path: await realpath(path).catch(() => resolve(path)) })),
    );
  }
}

function cleanPath(path: string, isWindows: boolean, roots: readonly string[]): string {
  if (/[\u0000-\u001f\u007f]/.test(path)) throw new PathError('invalid', phrase('The path contains control characters.'));
  if (path.trim() === '') throw new PathError('invalid', phrase('The path is empty.'));
  if (/^[\\/]{2}/.test(path) && !(isWindows && roots.some((root) => isInShare(path, root))))
    throw new PathError(
      'outside',
      withAdvice(phrase('{0} is a network or device path.', path), 'Give a path relative to the workspace.'),
    );
  if (/^[a-z][a-z0-9+.-]+:[\\/]{2}/i.test(path))
    throw new PathError('invalid', withAdvice(phrase('{0} is an address.', path), 'Give a path relative to the workspace.'));
  if (/^~([\\/]|$)/.test(path))
    throw new PathError(
      'outside',
      withAdvice(phrase('{0} is in the home folder.', path), 'Give a path relative to the workspace.'),
    );
  const drive = /^[a-z]:/i.exec(path)?.[0];
  if (drive !== undefined && (!isWindows || !/^[a-z]:[\\/]/i.test(path))) {
    throw new PathError(
      'outside',
      withAdvice(phrase('{0} is a path on another drive.', path), 'Give a path relative to the workspace.'),
    );
  }
  if (isWindows) refuseWindowsNames(path.slice(drive?.length ?? 0));
  return path.replaceAll('\\', '/');
}

function refuseWindowsNames(path: string): void {
  for (const name of path.split(/[\\/]/)) {
    switch (windowsNameProblem(name)) {
      case 'stream':
        throw new PathError(
          'invalid',
          withAdvice(phrase('{0} refers to a data stream inside a file.', name), 'Give the name of a file.'),
        );
      case 'device':
        throw new PathError('invalid', phrase('{0} is a reserved device name and cannot be a file name.', name));
      case 'end':
        throw new PathError('invalid', phrase('{0} ends in a dot or a space.', name));
      case 'character':
        throw new PathError('invalid', phrase('{0} is not a file name.', name));
      case null:
    }
  }
}

/**
 * Returns true if a Windows network path, such as `\\wsl$\Ubuntu\home`, is in a workspace folder. Compares only the text, because
 * even checking for a file on another server signs the user in there.
 */
export function isInShare(path: string, root: string): boolean {
  const isShare = [path, root].every((one) => /^[\\/]{2}[^\\/.?]/.test(one));
  const fromRoot = isShare ? win32.relative(root, path) : '..';
  return fromRoot !== '..' && !fromRoot.startsWith('..\\') && !win32.isAbsolute(fromRoot);
}

/** Returns the location of a path before links are followed. Removes `..` textually. */
function normalizePath(path: string, folders: readonly WorkspaceFolder[]): string {
  const [only, ...others] = folders;
  if (!only) throw noFolder();
  if (isAbsolute(path)) return resolve(path);
  if (others.length === 0) {
    return resolve(only.path, path);
  }
  const [name, ...rest] = path.replace(/^(\.\/)+/, '').split('/');
  const folder = folders.find((candidate) => isSameName(candidate.name, name ?? ''));
  if (!folder) {
    throw new PathError(
      'invalid',
      phrase('The workspace has several folders. Start the path with one of: {0}.', folders.map((one) => one.name).join(', ')),
    );
  }
  return resolve(folder.path, rest.join('/'));
}

function shownPath(real: string, folder: WorkspaceFolder, hasSeveral: boolean): string {
  const inside = relative(folder.path, real).split(sep).join('/');
  if (!hasSeveral) return inside === '' ? '.' : inside;
  return inside === '' ? folder.name : `${folder.name}/${inside}`;
}

function listNames(path: string, folder: WorkspaceFolder | undefined, hasSeveral: boolean): string[] {
  const inside = (folder ? relative(folder.path, path) : path).split(sep).join('/');
  return folder && hasSeveral ? [inside, shownPath(path, folder, true)] : [inside];
}

/** Returns the error for our database. Users cannot approve access: opening it would release the locks of this process. */
export function ownDatabase(path: string): PathError {
  return new PathError('ownDatabase', phrase('{0} contains the chats of Ollama Copilot. Tools cannot open it.', path));
}

function outside(path: string, target: string): PathError {
  return new PathError(
    'outside',
    target === path
      ? withAdvice(phrase('{0} is outside the workspace.', path), 'Give a path inside the workspace.')
      : withAdvice(
          phrase('{0} is outside the workspace (its target is {1}).', path, target),
          'Give a path inside the workspace.',
        ),
  );
}

function noFolder(): PathError {
  return new PathError('noFolder', phrase('No folder is open, so there are no files to work on.'));
}

function closed(path: string, { problem }: NeverRules): PathError {
  if (problem !== null) return new PathError('closed', problem);
  return new PathError('closed', phrase('{0} is blocked for the agent by a workspace rule ({1}).', path, neverFiles[0]));
}

/** Returns the user's rules that block one of these paths. */
function closingRules(paths: readonly string[], folders: readonly WorkspaceFolder[]): NeverRules | undefined {
  for (const { path: root } of folders) {
    const rules = NeverRules.of(root);
    const isClosed = (path: string): boolean =>
      rules !== null && isInside(path, root) && rules.isClosed(relative(root, path).split(sep).join('/'), false);
    if (rules !== null && paths.some(isClosed)) return rules;
  }
  return undefined;
}
