import { homedir } from 'node:os';
import path from 'node:path';
import { readFully, type FileSystem } from '../../utils/files/fileSystem';
import { isRacy, isSameFile, stampOf, type FileStamp } from '../../utils/files/fileStamp';
import { readGitConfig, type GitConfig } from './gitConfig';
import { namesInIndex, TrackedNames } from './gitIndex';
import { isSystemError } from '../../utils/errors';

/** Places of a person's own git configuration. */
export interface GitEnvironment {
  home: string;
  /** `XDG_CONFIG_HOME`, else `.config` in the home folder. */
  configHome: string;
  /** The configuration of the whole system. */
  systemConfig: string;
}

/** Returns the places for the person whose process this is. */
export function gitEnvironment(): GitEnvironment {
  const home = homedir();
  return { home, configHome: process.env.XDG_CONFIG_HOME || path.join(home, '.config'), systemConfig: '/etc/gitconfig' };
}

/** Git's facts about a folder, which are read and never written. */
export interface Repository {
  /** The folder that holds `.git`. */
  top: string;
  gitDirectory: string;
  /** Shared between the working trees of one repository. */
  commonDirectory: string;
  config: GitConfig;
}

const maxTextBytes = 16 * 1024 * 1024;
/** Largest index that is read, one of millions of files. */
const maxIndexBytes = 1024 * 1024 * 1024;

/** Returns the repository that `folder` lies in; null if there is none. */
export function repositoryOf(folder: string, fileSystem: FileSystem, environment: GitEnvironment): Repository | null {
  for (let top = folder; ; top = path.dirname(top)) {
    const repository = repositoryAt(top, fileSystem, environment);
    if (repository !== null || path.dirname(top) === top) return repository;
  }
}

/** Returns the repository whose `.git` is in this very folder; null if there is none. */
export function repositoryAt(top: string, fileSystem: FileSystem, environment: GitEnvironment): Repository | null {
  const gitDirectory = gitDirectoryOf(top, fileSystem);
  if (gitDirectory === null) return null;
  const common = readText(path.join(gitDirectory, 'commondir'), fileSystem)?.trim();
  const commonDirectory = common === undefined ? gitDirectory : path.resolve(gitDirectory, common);
  return {
    top,
    gitDirectory,
    commonDirectory,
    config: configOf(environment, fileSystem, { top, gitDirectory, commonDirectory }),
  };
}

/** Reads the configuration, even if there is no repository. */
export function configOf(
  environment: GitEnvironment,
  fileSystem: FileSystem,
  repository?: Omit<Repository, 'config'>,
): GitConfig {
  const { home, configHome, systemConfig } = environment;
  const files = [systemConfig, path.join(configHome, 'git', 'config'), path.join(home, '.gitconfig')];
  if (repository) {
    files.push(path.join(repository.commonDirectory, 'config'), path.join(repository.gitDirectory, 'config.worktree'));
  }
  const config = readGitConfig(files, home, repository ?? null, (file) => readText(file, fileSystem));
  return { ...config, excludesFile: config.excludesFile ?? path.join(configHome, 'git', 'ignore') };
}

/** Remembers the names in a repository's index, which is read again only when it may have changed. */
export class TrackedMemory {
  private known: { file: string; ignoreCase: boolean; stamp: FileStamp; readAt: number; names: TrackedNames } | null = null;

  /** Returns the names: the same object as before if nothing has changed. `now` in milliseconds. */
  of(repository: Repository, fileSystem: FileSystem, now: number): TrackedNames {
    const { known } = this;
    const file = path.join(repository.gitDirectory, 'index');
    const { ignoreCase } = repository.config;
    const stats = statsOf(file, fileSystem);
    const isKnown = known !== null && known.file === file && known.ignoreCase === ignoreCase;
    if (isKnown && stats !== undefined && isSameFile(stats, known.stamp) && !isRacy(known.stamp, known.readAt))
      return known.names;
    const names = trackedNames(repository, fileSystem);
    // Behind a link there is another file.
    this.known = stats?.isFile() ? { file, ignoreCase, stamp: stampOf(stats), readAt: now, names } : null;
    return names;
  }
}

/** Returns the names in the repository's index; none for an index that cannot be read. */
export function trackedNames(repository: Repository, fileSystem: FileSystem): TrackedNames {
  const { gitDirectory, config } = repository;
  const read = (name: string) => {
    const bytes = readBytes(path.join(gitDirectory, name), fileSystem, 'followed', maxIndexBytes);
    return bytes && namesInIndex(bytes, config.hashLength);
  };
  const own = read('index');
  if (own === null) return TrackedNames.none;
  if (own.sharedFrom === null) return new TrackedNames(own.names, config.ignoreCase);
  const shared = read(`sharedindex.${own.sharedFrom}`)?.names ?? [];
  return new TrackedNames([...new Set([...shared, ...own.names])].sort(), config.ignoreCase);
}

/** Reads a file of git's own as text; null if there is none, or none that may be read. Follows links. */
export function readText(file: string, fileSystem: FileSystem): string | null {
  return (
    readBytes(file, fileSystem)
      ?.toString('utf8')
      .replace(/^\uFEFF/, '') ?? null
  );
}

/** Reads a file of ignore rules as bytes; null if there is none. A `.gitignore` that is a link counts as none, as for git. */
export function readRules(file: string, fileSystem: FileSystem, links: 'followed' | 'refused'): string | null {
  const text = readBytes(file, fileSystem, links)?.toString('latin1');
  return text?.replace(/^\u00EF\u00BB\u00BF/, '') ?? null;
}

/**
 * Errors that do not mean that a file is missing or unreadable: going on without its rules would let ignored files into
 * snapshots and
 * out of the workspace.
 */
const failures = ['EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EBUSY', 'EAGAIN', 'EINTR', 'ETIMEDOUT', 'ESTALE'];

function isNothing(error: unknown): boolean {
  return isSystemError(error) && !isSystemError(error, ...failures);
}

function readBytes(file: string, fileSystem: FileSystem, links = 'followed', maxBytes = maxTextBytes): Buffer | null {
  // No file is called so, whatever a setting says.
  if (file.includes('\0')) return null;
  let opened: number | undefined;
  try {
    // Most of them are not there, which costs less to see than to be told by an error.
    const found = fileSystem.lstat(file);
    if (found === undefined) return null;
    opened = fileSystem.open(links === 'followed' && found.isSymbolicLink() ? fileSystem.realPath(file) : file, 'r');
    const stats = fileSystem.stat(opened);
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const bytes = Buffer.alloc(Number(stats.size));
    return bytes.subarray(0, readFully(fileSystem, opened, bytes, 0));
  } catch (error) {
    if (isNothing(error)) return null;
    throw error;
  } finally {
    if (opened !== undefined) fileSystem.close(opened);
  }
}

/** Returns the git directory of a folder; null if the folder is not the top of a repository. */
export function gitDirectoryOf(folder: string, fileSystem: FileSystem): string | null {
  const dotGit = path.join(folder, '.git');
  const stats = statsOf(dotGit, fileSystem);
  if (stats === undefined) return null;
  if (stats.isDirectory()) return statsOf(path.join(dotGit, 'HEAD'), fileSystem) === undefined ? null : dotGit;
  const target = /^gitdir: (.*)$/m.exec(readText(dotGit, fileSystem) ?? '')?.[1];
  return target === undefined || target.includes('\0') ? null : path.resolve(folder, target.trim());
}

/** Returns undefined for a missing path, one in a folder that this person may not enter, and one with a loop of links. */
function statsOf(file: string, fileSystem: FileSystem): ReturnType<FileSystem['lstat']> {
  try {
    return fileSystem.lstat(file);
  } catch (error) {
    if (isNothing(error)) return undefined;
    throw error;
  }
}
