import { lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fromHome } from '../../../utils/files/fromHome';
import { isInside } from '../../../utils/files/isInside';
import { t } from '../../../utils/l10n';
import type { FolderListings } from './folderListings';
import type { GitSettingCopies } from './git/gitSettings';
import { secretsOutside } from './homeSecrets';
import type { PackageCaches } from './caches/packageCaches';
import type { PrivateFolder } from './privateFolder';
import { SandboxError } from './sandboxPorts';
import type { HiddenPaths, SandboxPolicy } from './sandboxPolicy';
import { openSockets } from './openSockets';
import { isEditorSetting, type WorkspaceParts } from './workspaceParts';

/** Maximum number of hidden or read-only paths in a workspace. Each needs a mount. */
const maxMounts = 1500;

export interface PolicySources {
  roots: readonly string[];
  folder: PrivateFolder;
  caches: PackageCaches;
  parts: WorkspaceParts;
  /** All Git folders, including the folders of submodules. */
  gitFolders: readonly string[];
  /** Paths that the newest checkpoint omitted. */
  leftOut: readonly string[];
  /** Path of git. Null if there is none. */
  git: string | null;
  /** Folder of the extension's data. */
  storage: string;
  writablePaths: readonly string[];
  readDenied: readonly string[];
  listings: FolderListings;
  gitSettings: GitSettingCopies;
}

/**
 * Returns the policy of a command without network access, and the variables for
 * its environment. Throws `SandboxError` if the policy needs too many mounts.
 */
export async function policyFor(sources: PolicySources): Promise<{ policy: SandboxPolicy; variables: Record<string, string> }> {
  const { roots, folder, caches, parts, gitFolders, leftOut, git, storage } = sources;
  if (parts.readOnly.length + parts.hidden.length + leftOut.length > maxMounts) {
    const text = t('The workspace has too many files that no checkpoint covers, so the command cannot run in the sandbox.');
    throw new SandboxError(`More than ${maxMounts} mounts`, text);
  }
  const outside = await secretsOutside(storage, sources.readDenied, sources.listings);
  const hooks = gitFolders.map((one) => join(one, 'hooks'));
  const settings = await Promise.all(parts.links.filter((link) => isEditorSetting(basename(link))).map(resolveReal));
  const linked = settings.flatMap((path) =>
    path !== null && roots.some((root) => path !== root && isInside(path, root)) ? [path] : [],
  );
  const readOnly = [...new Set([...parts.readOnly, ...linked, ...parts.gitFiles, ...leftOut, ...(await existing(hooks))])];
  const hiddenFiles = [...outside.files, ...parts.hidden, ...(await openSockets())];
  const policy: SandboxPolicy = {
    roots,
    writable: (await Promise.all(sources.writablePaths.map(resolveReal))).filter((path) => path !== null),
    readOnly,
    fixed: withParents(roots, parts.gitFolders, [...readOnly, ...parts.hidden, ...parts.links]),
    absent: [...roots.map((root) => join(root, '.vscode')), ...hooks],
    hidden: { files: [...new Set(hiddenFiles)], folders: outside.folders },
    mounts: [...caches.mounts, ...(await sources.gitSettings.mounts(folder.blanks, git))],
    temporary: folder.temporary,
    blanks: folder.blanks,
    proxyFolder: null,
    proxyPort: null,
  };
  return { policy, variables: { ...caches.variables } };
}

/**
 * Returns the hidden paths that still exist, because bwrap cannot hide missing paths. Call it immediately before starting the
 * command, because other programs may delete their sockets at any time.
 */
export async function stillHidden({ files, folders }: HiddenPaths): Promise<HiddenPaths> {
  return { files: await existing(files), folders: await existing(folders) };
}

function resolveReal(path: string): Promise<string | null> {
  return realpath(fromHome(path, homedir())).catch(() => null);
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => null)));
  return paths.filter((_, index) => found[index] != null);
}

/**
 * Returns the folders and the parents of `folders` and `protectedPaths` in the workspace, parents first. Without the parents, a
 * command could rename a parent folder and move the protected paths with it.
 */
function withParents(roots: readonly string[], folders: readonly string[], protectedPaths: readonly string[]): string[] {
  const found = new Set(folders);
  for (const path of [...folders, ...protectedPaths]) {
    const root = roots.find((one) => isInside(path, one));
    if (root === undefined) continue;
    for (let parent = dirname(path); parent.length > root.length && !found.has(parent); parent = dirname(parent))
      found.add(parent);
  }
  return [...found].sort();
}
