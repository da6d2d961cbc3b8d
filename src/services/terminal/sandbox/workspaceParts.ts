import { lstatSync, type Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../../utils/errors';
import { nodeFileSystem } from '../../../utils/files/fileSystem';
import type { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { FolderRules } from '../../git/ignoreRules';
import { gitEnvironment, repositoryAt, trackedNames } from '../../git/repository';
import { toolOfFile, type PackageTool } from './caches/packageTools';
import type { FolderListings } from './folderListings';
import { hasRepositoryEntries } from './git/gitFolders';
import { isRegenerable } from './regenerable';

/** Absolute paths in a workspace folder that a sandboxed command may not change or see. */
export interface WorkspaceParts {
  /** Paths that no checkpoint contains and no tool recreates. */
  readOnly: string[];
  /** Files with secrets, and sockets and named pipes of programs outside the sandbox. */
  hidden: string[];
  /** Folders named `.git`, and other folders that Git treats as repositories. */
  gitFolders: string[];
  /** `.git` files of worktrees and submodules, and links named `.git`. */
  gitFiles: string[];
  /** Links that no checkpoint contains, and links that are editor settings. Nothing can be mounted on a link. */
  links: string[];
  /** Tools that projects in the workspace use. */
  tools: Set<PackageTool>;
}

export interface PartsOptions {
  /** Value of the setting `checkpoints.exclude`. */
  exclude: readonly string[];
  secrets: Pick<FileSensitivity, 'isSecret'>;
  signal: AbortSignal | undefined;
  listings: FolderListings;
}

/** Folders that configure the editor. The editor reads changes immediately, outside the sandbox. */
const editorFolders: ReadonlySet<string> = new Set(['.vscode', '.idea', '.devcontainer', '.zed', '.fleet']);
const editorFiles = /^\.devcontainer\.json$|\.code-workspace$/;
/** Character that replaces bytes in a name that are not UTF-8. */
const notUtf8 = '\ufffd';
/** Milliseconds of work before other events are processed. */
const sliceMs = 15;

interface Frame {
  folder: string;
  inside: string;
  rules: FolderRules;
  isIgnored: boolean;
  /** True inside a folder that is read-only as a whole. */
  isReadOnly: boolean;
  /** True inside a folder that builds recreate; `top` at its first level. */
  isRegenerable: boolean | 'top';
}

export function noParts(): WorkspaceParts {
  return { readOnly: [], hidden: [], gitFolders: [], gitFiles: [], links: [], tools: new Set() };
}

/**
 * Walks a workspace folder according to the checkpoint rules. In regenerable folders, it looks only for repositories. At the
 * first level of these folders, it also looks for secrets. Deeper levels contain packages with files that look like secrets, such
 * as certificates. Skips unreadable folders.
 */
export async function workspaceParts(root: string, options: PartsOptions): Promise<WorkspaceParts> {
  const rules = FolderRules.of(root, { fileSystem: nodeFileSystem, environment: gitEnvironment(), exclude: options.exclude });
  const parts = noParts();
  const frames: Frame[] = [{ folder: root, inside: '', rules, isIgnored: false, isReadOnly: false, isRegenerable: false }];
  let since = performance.now();
  for (let frame = frames.pop(); frame !== undefined; frame = frames.pop()) {
    if (performance.now() - since > sliceMs) {
      await setImmediate();
      throwIfAborted(options.signal);
      since = performance.now();
    }
    visit(frame, frames, parts, options);
  }
  return parts;
}

function visit(frame: Frame, frames: Frame[], parts: WorkspaceParts, { listings, secrets }: PartsOptions): void {
  const entries = listings.list(frame.folder);
  if (frame.inside !== '' && hasRepositoryEntries(entries)) {
    parts.gitFolders.push(frame.folder);
    return;
  }
  if (frame.isRegenerable !== false) {
    visitRegenerable(frame, entries, frames, parts, { listings, secrets });
    return;
  }
  const rules = frame.inside === '' ? frame.rules : rulesIn(frame, entries);
  for (const entry of entries) {
    const { name } = entry;
    const file = join(frame.folder, name);
    const inside = frame.inside === '' ? name : `${frame.inside}/${name}`;
    const isFolder = entry.isDirectory();
    if (isRepositoryEntry(entry, file, parts)) continue;
    if (name.includes(notUtf8)) {
      // The path cannot be represented as text, so the parent folder is protected.
      if (!frame.isReadOnly) parts.readOnly.push(frame.folder);
      continue;
    }
    if (entry.isSocket() || entry.isFIFO() || (entry.isFile() && listings.isSecret(entry, inside, secrets))) {
      parts.hidden.push(file);
      continue;
    }
    const isIgnored = (frame.isIgnored || rules.isIgnored(name, isFolder)) && !rules.isTracked(name, isFolder);
    if (
      entry.isSymbolicLink() &&
      (isEditorSetting(name) || (isIgnored && !isRegenerable(name, false) && !isRegenerable(name, true)))
    )
      parts.links.push(file);
    if (!isFolder && !entry.isFile()) continue;
    const tool = isFolder ? undefined : toolOfFile(name);
    if (tool !== undefined) parts.tools.add(tool);
    const next = { folder: file, inside, rules, isIgnored };
    if (isFolder && isIgnored && !frame.isReadOnly && isRegenerable(name, true)) {
      parts.readOnly.push(...sharedStoreIn(name, file));
      frames.push({ ...next, isReadOnly: false, isRegenerable: 'top' });
      continue;
    }
    const isFixed = isEditorSetting(name) || (isIgnored && (isFolder || !isRegenerable(name, false)));
    if (isFixed && !frame.isReadOnly) parts.readOnly.push(file);
    if (isFolder)
      frames.push({ ...next, rules: rules.into(name), isReadOnly: frame.isReadOnly || isFixed, isRegenerable: false });
  }
}

function visitRegenerable(
  frame: Frame,
  entries: readonly Dirent[],
  frames: Frame[],
  parts: WorkspaceParts,
  { listings, secrets }: Pick<PartsOptions, 'listings' | 'secrets'>,
): void {
  for (const entry of entries) {
    // Nearly all entries match here. The rest of the loop is slow for a hundred thousand entries.
    if (entry.isFile() && frame.isRegenerable !== 'top' && entry.name !== '.git') continue;
    const file = `${frame.folder}/${entry.name}`;
    if (isRepositoryEntry(entry, file, parts)) continue;
    if (entry.isDirectory())
      frames.push({ ...frame, folder: file, inside: `${frame.inside}/${entry.name}`, isRegenerable: true });
    else if (entry.isSocket() || entry.isFIFO()) parts.hidden.push(file);
    else if (
      frame.isRegenerable === 'top' &&
      entry.isFile() &&
      listings.isSecret(entry, `${frame.inside}/${entry.name}`, secrets)
    )
      parts.hidden.push(file);
  }
}

function isRepositoryEntry(entry: Dirent, file: string, parts: WorkspaceParts): boolean {
  if (entry.name !== '.git') return false;
  if (entry.isDirectory()) parts.gitFolders.push(file);
  else parts.gitFiles.push(file);
  return true;
}

/** Returns whether the editor reads a file or folder with this name outside the sandbox. */
export function isEditorSetting(name: string): boolean {
  return editorFolders.has(name) || editorFiles.test(name);
}

/** Returns the pnpm store in `node_modules` if its files are links to the store that all projects share. */
function sharedStoreIn(name: string, folder: string): string[] {
  const store = join(folder, '.pnpm');
  if (name !== 'node_modules' || nodeFileSystem.lstat(store)?.isDirectory() !== true) return [];
  return nodeFileSystem.list(store).some((entry) => entry.isDirectory() && hasLinkedPackage(join(store, entry.name)))
    ? [store]
    : [];
}

/** Returns whether pnpm imported a package as links instead of copies. */
function hasLinkedPackage(folder: string): boolean {
  const packages = join(folder, 'node_modules');
  if (nodeFileSystem.lstat(packages)?.isDirectory() !== true) return false;
  const namesIn = (at: string) => nodeFileSystem.list(at).flatMap((entry) => (entry.isDirectory() ? [join(at, entry.name)] : []));
  const all = namesIn(packages).flatMap((at) => (basename(at).startsWith('@') ? namesIn(at) : [at]));
  return all.some((at) => (lstatSync(join(at, 'package.json'), { throwIfNoEntry: false })?.nlink ?? 1) > 1);
}

function rulesIn({ folder, rules }: Frame, entries: readonly Dirent[]): FolderRules {
  const own = entries.some(({ name }) => name === '.gitignore') ? rules.withFileIn(folder, nodeFileSystem) : rules;
  if (!entries.some(({ name }) => name === '.git')) return own;
  const repository = repositoryAt(folder, nodeFileSystem, gitEnvironment());
  return repository === null ? own : own.withRepository(trackedNames(repository, nodeFileSystem));
}
