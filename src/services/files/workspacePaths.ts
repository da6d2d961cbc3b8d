import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isDatabase } from '../database/sqlite/databaseFile';
import { neverFiles, NeverRules } from '../git/neverRules';
import { isInside } from '../../utils/files/isInside';
import { phrase } from '../../utils/l10n';
import { windowsFault } from '../../utils/files/windowsNames';
import { PathError } from './pathError';
import type { WorkspaceFolder, WorkspacePort } from './workspacePorts';

export interface ResolvedPath {
  /** Absolute, free of symbolic links up to the nearest parent that exists. */
  real: string;
  /** Workspace-relative with `/`, the folder's name first where the workspace has several. */
  shown: string;
  exists: boolean;
}

/** A path in the workspace or elsewhere. */
export interface LocatedPath extends ResolvedPath {
  /** All that it is called, before links are followed and after: inside its folder, with that folder's name, or on the disk. */
  names: string[];
  /** Names among them that remain after links are followed. */
  realNames: string[];
  /** True if it lies outside of the workspace; then `shown` is the real path. */
  isOutside: boolean;
  /** The innermost folder of the workspace that it is in or is; null outside. */
  root: string | null;
}

/** A folder of the workspace. `prefix` goes before the paths of what is in it. */
export interface WorkspaceRoot extends ResolvedPath {
  prefix: string;
}

/**
 * Turns what a model calls a path into a real one inside the workspace, or throws a `PathError`. Links are followed before
 * the check, so that none leads out.
 */
export class WorkspacePaths {
  private readonly isWindows: boolean;

  constructor(
    private readonly workspace: Pick<WorkspacePort, 'folders'>,
    platform: NodeJS.Platform = process.platform,
  ) {
    this.isWindows = platform === 'win32';
  }

  /** Resolves a path inside the workspace; refuses one outside. */
  async resolve(path: string): Promise<LocatedPath> {
    const located = await this.locate(path);
    if (located.isOutside) throw outside(path, located.real);
    return located;
  }

  /** Resolves a path anywhere on this machine's disks, for tools that ask a person before they use what is outside. */
  async locate(path: string): Promise<LocatedPath> {
    const folders = await this.realFolders();
    const target = placeOf(cleanPath(path, this.isWindows), folders);
    const { real, exists } = await followLinks(target, path);
    if (isDatabase(real)) throw ownDatabase(path);
    const holders = folders.filter(({ path: root }) => isInside(real, root));
    const [folder] = holders;
    const ownFolder = folders.find(({ path: root }) => isInside(target, root));
    const hasSeveral = folders.length > 1;
    const realNames = namesOf(real, folder, hasSeveral);
    const names = [...new Set([...namesOf(target, ownFolder, hasSeveral), ...realNames])];
    const called = { names, realNames };
    if (!folder) return { real, shown: real.split(sep).join('/'), exists, ...called, isOutside: true, root: null };
    if (isClosed([target, real], [...holders, ...(ownFolder ? [ownFolder] : [])])) {
      throw new PathError('closed', phrase('{0} is closed to the agent by a rule of the workspace ({1}).', path, neverFiles[0]));
    }
    const root = holders.reduce((one, other) => (other.path.length > one.path.length ? other : one)).path;
    return { real, shown: shownPath(real, folder, hasSeveral), exists, ...called, isOutside: false, root };
  }

  /** Throws for a path that is itself a link: to take it away or to move it would not do so with what it leads to. */
  async assertNoLink(path: string): Promise<void> {
    const target = placeOf(cleanPath(path, this.isWindows), await this.realFolders());
    const isLink = await lstat(target).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    if (isLink) throw new PathError('invalid', phrase('{0} is a link. Give the path of what it leads to.', path));
  }

  /** Returns the first folder, in which commands run by default. */
  async defaultFolder(): Promise<ResolvedPath> {
    return (await this.roots())[0] as WorkspaceRoot;
  }

  /** Returns every folder of the workspace, at least one. */
  async roots(): Promise<WorkspaceRoot[]> {
    const folders = await this.realFolders();
    if (folders.length === 0) throw noFolder();
    return folders.map((folder) => {
      const shown = shownPath(folder.path, folder, folders.length > 1);
      return { real: folder.path, shown, exists: true, prefix: folders.length > 1 ? `${folder.name}/` : '' };
    });
  }

  /**
   * Returns the places to look for files: `path`, or every folder if it is missing or says no more than "here". A person
   * has to be
   * asked about a place outside of the workspace, which is its own root.
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

  private async realFolders(): Promise<WorkspaceFolder[]> {
    return Promise.all(
      this.workspace.folders().map(async ({ name, path }) => ({ name, path: await realpath(path).catch(() => resolve(path)) })),
    );
  }
}

function cleanPath(path: string, isWindows: boolean): string {
  if (/[\u0000-\u001f\u007f]/.test(path)) throw new PathError('invalid', phrase('The path contains control characters.'));
  if (path.trim() === '') throw new PathError('invalid', phrase('The path is empty.'));
  if (/^[\\/]{2}/.test(path))
    throw new PathError('outside', phrase('{0} is a network or device path. Give a path relative to the workspace.', path));
  if (/^[a-z][a-z0-9+.-]+:[\\/]{2}/i.test(path))
    throw new PathError('invalid', phrase('{0} is an address. Give a path relative to the workspace.', path));
  if (/^~([\\/]|$)/.test(path))
    throw new PathError('outside', phrase('{0} is in the home folder. Give a path relative to the workspace.', path));
  const drive = /^[a-z]:/i.exec(path)?.[0];
  if (drive !== undefined && (!isWindows || !/^[a-z]:[\\/]/i.test(path))) {
    throw new PathError('outside', phrase('{0} is a path on another drive. Give a path relative to the workspace.', path));
  }
  if (isWindows) refuseWindowsNames(path.slice(drive?.length ?? 0));
  return path.replaceAll('\\', '/');
}

function refuseWindowsNames(path: string): void {
  for (const name of path.split(/[\\/]/)) {
    switch (windowsFault(name)) {
      case 'stream':
        throw new PathError('invalid', phrase('{0} names a data stream inside a file. Give the name of a file.', name));
      case 'device':
        throw new PathError('invalid', phrase('{0} is the name of a device.', name));
      case 'end':
        throw new PathError('invalid', phrase('{0} ends in a dot or a space.', name));
      case 'character':
        throw new PathError('invalid', phrase('{0} is not a file name.', name));
      case null:
    }
  }
}

/** Returns the place that the path means, before links are followed; `..` is removed by the words of the path. */
function placeOf(path: string, folders: readonly WorkspaceFolder[]): string {
  const [only, ...others] = folders;
  if (!only) throw noFolder();
  if (isAbsolute(path)) return resolve(path);
  if (others.length === 0) {
    return resolve(only.path, path);
  }
  const [name, ...rest] = path.replace(/^(\.\/)+/, '').split('/');
  const folder = folders.find((candidate) => candidate.name === name);
  if (!folder) {
    throw new PathError(
      'invalid',
      phrase('The workspace has several folders, so begin the path with one of: {0}.', folders.map((one) => one.name).join(', ')),
    );
  }
  return resolve(folder.path, rest.join('/'));
}

async function followLinks(target: string, shown: string): Promise<{ real: string; exists: boolean }> {
  const missing: string[] = [];
  for (let current = target; ; current = dirname(current)) {
    try {
      const real = await realpath(current);
      return { real: join(real, ...missing), exists: missing.length === 0 };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOTDIR') throw new PathError('invalid', phrase('{0}: a part of this path is a file, not a folder.', shown));
      if (code !== 'ENOENT') throw new PathError('invalid', phrase('{0} cannot be resolved ({1}).', shown, code ?? 'unknown'));
      // A link to nowhere would be followed by whoever writes through it.
      if (await isThere(current))
        throw new PathError('outside', phrase('{0} leads through a link whose target does not exist.', shown));
      if (dirname(current) === current) throw new PathError('invalid', phrase('{0} cannot be resolved.', shown));
      missing.unshift(basename(current));
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function shownPath(real: string, folder: WorkspaceFolder, hasSeveral: boolean): string {
  const inside = relative(folder.path, real).split(sep).join('/');
  if (!hasSeveral) return inside === '' ? '.' : inside;
  return inside === '' ? folder.name : `${folder.name}/${inside}`;
}

function namesOf(path: string, folder: WorkspaceFolder | undefined, hasSeveral: boolean): string[] {
  const inside = (folder ? relative(folder.path, path) : path).split(sep).join('/');
  return folder && hasSeveral ? [inside, shownPath(path, folder, true)] : [inside];
}

/**
 * Builds the error for our database. Nobody is asked: a database that this process has open loses its locks when it is opened by other
 * means, too.
 */
export function ownDatabase(path: string): PathError {
  return new PathError('ownDatabase', phrase('{0} holds the chats of Ollama Copilot. No tool may open it.', path));
}

function outside(path: string, target: string): PathError {
  return new PathError(
    'outside',
    target === path
      ? phrase('{0} is outside the workspace. Give a path inside it.', path)
      : phrase('{0} is outside the workspace (it leads to {1}). Give a path inside it.', path, target),
  );
}

function noFolder(): PathError {
  return new PathError('noFolder', phrase('No folder is open, so there are no files to work on.'));
}

/** Tells whether a person has closed a file, by the path that was given or the real one. */
function isClosed(paths: readonly string[], folders: readonly WorkspaceFolder[]): boolean {
  return folders.some(({ path: root }) => {
    const rules = NeverRules.of(root);
    if (rules === null) return false;
    return paths.some((path) => isInside(path, root) && rules.isClosed(relative(root, path).split(sep).join('/'), false));
  });
}
