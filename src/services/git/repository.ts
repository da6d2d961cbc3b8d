import { homedir } from 'node:os';
import path from 'node:path';
import { readFully, type FileSystem } from '../../utils/files/fileSystem';
import { isRacy, isSameFile, toStamp, type FileStamp } from '../../utils/files/fileStamp';
import { readGitConfig, type GitConfig } from './gitConfig';
import { namesInIndex, TrackedNames } from './gitIndex';
import { isSystemError } from '../../utils/errors';

/** Locations of Git's configuration. */
export interface GitEnvironment {
  home: string;
  /** `XDG_CONFIG_HOME`, or `.config` in the home folder. */
  configHome: string;
  /** System-wide configuration file. */
  systemConfig: string;
  /** True on macOS, where Git uses `core.precomposeUnicode`. */
  isMac?: boolean;
}

/** Returns the locations for the user of this process. Git for Windows prefers `HOME` and has its own system-wide file. */
export function gitEnvironment(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): GitEnvironment {
  const isWindows = platform === 'win32';
  const names = isWindows ? path.win32 : path.posix;
  const home = (isWindows && env.HOME) || homedir();
  const systemConfig = isWindows
    ? names.join(env.ProgramFiles ?? 'C:\\Program Files', 'Git', 'etc', 'gitconfig')
    : '/etc/gitconfig';
  return { home, configHome: env.XDG_CONFIG_HOME || names.join(home, '.config'), systemConfig, isMac: platform === 'darwin' };
}

/** Git data of a folder. It is only read. */
export interface Repository {
  /** Folder that contains `.git`. */
  top: string;
  gitDirectory: string;
  /** Data folder shared by the working trees of a repository. */
  commonDirectory: string;
  config: GitConfig;
}

const maxTextBytes = 16 * 1024 * 1024;
/** Maximum size of an index in bytes. This is enough for several million files. */
const maxIndexBytes = 1024 * 1024 * 1024;

/** Returns the repository that contains `folder`, or null. */
export function findRepository(folder: string, fileSystem: FileSystem, environment: GitEnvironment): Repository | null {
  for (let top = folder; ; top = path.dirname(top)) {
    const repository = repositoryAt(top, fileSystem, environment);
    if (repository !== null || path.dirname(top) === top) return repository;
  }
}

/** Returns the repository whose `.git` is in this folder, or null. */
export function repositoryAt(top: string, fileSystem: FileSystem, environment: GitEnvironment): Repository | null {
  const gitDirectory = findGitDirectory(top, fileSystem);
  if (gitDirectory === null) return null;
  const common = readText(path.join(gitDirectory, 'commondir'), fileSystem)?.trim();
  const commonDirectory = common === undefined ? gitDirectory : path.resolve(gitDirectory, common);
  return {
    top,
    gitDirectory,
    commonDirectory,
    config: loadConfig(environment, fileSystem, { top, gitDirectory, commonDirectory }),
  };
}

/** Reads the configuration, with or without a repository. */
export function loadConfig(
  environment: GitEnvironment,
  fileSystem: FileSystem,
  repository?: Omit<Repository, 'config'>,
): GitConfig {
  const { home, configHome, systemConfig, isMac = false } = environment;
  const files = [systemConfig, path.join(configHome, 'git', 'config'), path.join(home, '.gitconfig')];
  if (repository) {
    files.push(path.join(repository.commonDirectory, 'config'), path.join(repository.gitDirectory, 'config.worktree'));
  }
  const config = readGitConfig(files, home, repository ?? null, (file) => readText(file, fileSystem));
  const composesNames = isMac && config.composesNames;
  return { ...config, composesNames, excludesFile: config.excludesFile ?? path.join(configHome, 'git', 'ignore') };
}

/** Caches the names in a repository's index. */
export class TrackedMemory {
  private known: { file: string; ignoreCase: boolean; stamp: FileStamp; readAt: number; names: TrackedNames } | null = null;

  /** Returns the names. Returns the same object if nothing has changed. `now` is in milliseconds. */
  of(repository: Repository, fileSystem: FileSystem, now: number): TrackedNames {
    const { known } = this;
    const file = path.join(repository.gitDirectory, 'index');
    const { ignoreCase } = repository.config;
    const stats = readStats(file, fileSystem);
    const isKnown = known !== null && known.file === file && known.ignoreCase === ignoreCase;
    if (isKnown && stats !== undefined && isSameFile(stats, known.stamp) && !isRacy(known.stamp, known.readAt))
      return known.names;
    const names = trackedNames(repository, fileSystem);
    // Do not cache the names if the index is a link, because the stamp of a link does not reflect changes of its target.
    this.known = stats?.isFile() ? { file, ignoreCase, stamp: toStamp(stats), readAt: now, names } : null;
    return names;
  }
}

/** Returns the names in the repository's index. Returns no names if the index cannot be read. */
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

/** Reads a text file and follows links. Returns null if the file is missing or unreadable. */
export function readText(file: string, fileSystem: FileSystem): string | null {
  return (
    readBytes(file, fileSystem)
      ?.toString('utf8')
      .replace(/^\uFEFF/, '') ?? null
  );
}

/** Reads a file of ignore rules as bytes. Returns null if there is none. Like Git, ignores a `.gitignore` that is a link. */
export function readRules(file: string, fileSystem: FileSystem, links: 'followed' | 'refused'): string | null {
  const text = readBytes(file, fileSystem, links)?.toString('latin1');
  return text?.replace(/^\u00EF\u00BB\u00BF/, '') ?? null;
}

/** Error codes that must not be treated as a missing file. Without the rules in the file, ignored files would be added to snapshots. */
const retryableErrors = ['EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EBUSY', 'EAGAIN', 'EINTR', 'ETIMEDOUT', 'ESTALE'];

function isMissingOrUnreadable(error: unknown): boolean {
  return isSystemError(error) && !isSystemError(error, ...retryableErrors);
}

function readBytes(file: string, fileSystem: FileSystem, links = 'followed', maxBytes = maxTextBytes): Buffer | null {
  // No file name contains NUL.
  if (file.includes('\0')) return null;
  let opened: number | undefined;
  try {
    // Most files do not exist, and `lstat` is faster than an `open` that fails.
    const found = fileSystem.lstat(file);
    if (found === undefined) return null;
    opened = fileSystem.open(links === 'followed' && found.isSymbolicLink() ? fileSystem.realPath(file) : file, 'r');
    const stats = fileSystem.stat(opened);
    if (!stats.isFile() || stats.size > maxBytes) return null;
    const bytes = Buffer.alloc(Number(stats.size));
    return bytes.subarray(0, readFully(fileSystem, opened, bytes, 0));
  } catch (error) {
    if (isMissingOrUnreadable(error)) return null;
    throw error;
  } finally {
    if (opened !== undefined) fileSystem.close(opened);
  }
}

/** Returns the Git directory of a folder. Returns null if the folder is not the top of a repository. */
export function findGitDirectory(folder: string, fileSystem: FileSystem): string | null {
  const dotGit = path.join(folder, '.git');
  const stats = readStats(dotGit, fileSystem);
  if (stats === undefined) return null;
  if (stats.isDirectory()) return readStats(path.join(dotGit, 'HEAD'), fileSystem) === undefined ? null : dotGit;
  const target = /^gitdir: (.*)$/m.exec(readText(dotGit, fileSystem) ?? '')?.[1];
  return target === undefined || target.includes('\0') ? null : path.resolve(folder, target.trim());
}

/** Returns undefined if a path is missing, not accessible, or in a loop of links. */
function readStats(file: string, fileSystem: FileSystem): ReturnType<FileSystem['lstat']> {
  try {
    return fileSystem.lstat(file);
  } catch (error) {
    if (isMissingOrUnreadable(error)) return undefined;
    throw error;
  }
}
