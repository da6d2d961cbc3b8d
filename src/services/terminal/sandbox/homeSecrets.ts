import type { Dirent } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fromHome } from '../../../utils/files/fromHome';
import { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import type { FolderListings } from './folderListings';
import type { HiddenPaths } from './sandboxPolicy';

/** Folders in the home folder that contain secrets or lead to services: browsers, keyrings, mail, editors, agents, containers. */
const homeFolders = [
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.docker',
    '.pki',
    '.password-store',
    '.local/share/keyrings',
    '.local/share/kwalletd',
  ],
  ...['.mozilla', '.thunderbird', '.var/app', 'snap/firefox', 'snap/chromium', 'snap/thunderbird', '.local/share/evolution'],
  ...[
    '.config/google-chrome',
    '.config/google-chrome-beta',
    '.config/chromium',
    '.config/BraveSoftware',
    '.config/microsoft-edge',
  ],
  ...[
    '.config/vivaldi',
    '.config/opera',
    '.config/Signal',
    '.config/Slack',
    '.config/discord',
    '.config/1Password',
    '.config/Bitwarden',
  ],
  ...['.config/Code', '.config/Code - Insiders', '.config/VSCodium', '.config/Cursor', '.config/Windsurf', '.config/code-server'],
  ...['.vscode-server/data', '.vscode-server-insiders/data', '.local/share/code-server/User', '.cursor-server/data'],
  ...['.claude', '.codex', '.gemini', '.continue', '.copilot', '.config/github-copilot', '.aider', '.cline', '.roo'],
  ...['.colima', '.lima', '.rd', '.orbstack', '.local/share/containers', '.electrum', '.bitcoin', '.ethereum', '.config/op'],
  ...[
    'Library/Keychains',
    'Library/Cookies',
    'Library/Mail',
    'Library/Messages',
    'Library/Safari',
    'Library/Application Support/Google',
  ],
  ...['Library/Application Support/Firefox', 'Library/Application Support/Code', 'Library/Application Support/com.apple.TCC'],
  ...['.putty', '.purple', '.dbt', '.wrangler', '.config/.wrangler', '.config/filezilla', '.config/remmina', '.config/solana'],
];

/** Files in the home folder that contain display keys or tokens and are missing from the list of secret files. */
const homeFiles = [
  ...['.Xauthority', '.ICEauthority', '.config/nix/nix.conf', '.config/nix/netrc'],
  ...['.config/NuGet/NuGet.Config', '.nuget/NuGet/NuGet.Config'],
];

/** Folders that count as secret elsewhere. In the home folder, they contain packages. */
const packageFolders = ['.nuget', '.nuget/packages'];

/** Folders whose direct subfolders are searched too. Programs store settings and tokens in these subfolders. */
const searchedWithFolders: ReadonlySet<string> = new Set(['', '.config', '.local/share']);

/** Folders whose entries are checked against the list of secret files, with their path in that list. */
const searched = [
  '',
  '.config',
  '.local/share',
  '.cargo',
  '.m2',
  '.gem',
  '.composer',
  '.gradle',
  '.nuget',
  '.config/composer',
  '.ollama',
  '.cache',
  '.cache/huggingface',
  '.config/pip',
  '.pip',
];

/** A shared instance, so that `FolderListings` can cache its results. */
const sensitivity = new FileSensitivity();

/** Files that only root can read. They are hidden in case the editor runs as root. */
const systemFiles = ['/etc/shadow', '/etc/gshadow', '/etc/shadow-', '/etc/gshadow-', '/etc/sudoers', '/etc/krb5.keytab'];

/** Files that are replaced with a sanitized copy. */
const replaced = ['.gitconfig', '.config/git/config'];

/**
 * Returns the paths outside the workspace that a sandboxed command must not see. These
 * are secrets in the home folder, the editor's data, `ownStorage`, and the paths in the
 * setting `agent.sandbox.readDenied`. Returns only existing paths, with links resolved.
 */
export async function secretsOutside(
  ownStorage: string,
  denied: readonly string[],
  listings: FolderListings,
  home = homedir(),
): Promise<HiddenPaths> {
  const found = new Set<string>([...[...homeFolders, ...homeFiles].map((path) => join(home, path)), ...systemFiles, ownStorage]);
  for (const path of searched.flatMap((folder) => secretEntries(home, folder, listings))) found.add(path);
  for (const folder of packageFolders) found.delete(join(home, folder));
  for (const path of denied) found.add(fromHome(path, home));
  for (const key of hostKeys(listings)) found.add(key);
  for (const file of replaced) found.delete(join(home, file));
  const hidden = { files: new Set<string>(), folders: new Set<string>() };
  await Promise.all(
    [...found].map(async (path) => {
      const real = await realpath(path).catch(() => null);
      const stats = real === null ? null : await stat(real).catch(() => null);
      if (real === null || stats === null) return;
      if (stats.isDirectory()) hidden.folders.add(real);
      else hidden.files.add(real);
    }),
  );
  const folders = [...hidden.folders];
  const isInHidden = (path: string) => folders.some((folder) => path !== folder && path.startsWith(`${folder}/`));
  return { files: [...hidden.files].filter((path) => !isInHidden(path)), folders: folders.filter((path) => !isInHidden(path)) };
}

function secretEntries(home: string, folder: string, listings: FolderListings): string[] {
  const entries = listings.list(join(home, folder));
  const pathInside = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  const isSecret = (entry: Dirent): boolean =>
    listings.isSecret(entry, entry.isDirectory() ? `${pathInside(entry.name)}/any` : pathInside(entry.name), sensitivity);
  const secret = entries.filter(isSecret);
  const others = entries.filter((entry) => !isSecret(entry));
  const below = searchedWithFolders.has(folder)
    ? others
        .filter((entry) => entry.isDirectory() && (folder !== '' || entry.name.startsWith('.')))
        .map(({ name }) => pathInside(name))
    : [];
  const nested = below.filter((path) => !searched.includes(path)).flatMap((path) => secretEntries(home, path, listings));
  return [...secret.map(({ name }) => join(home, folder, name)), ...nested];
}

function hostKeys(listings: FolderListings): string[] {
  const keys = listings.list('/etc/ssh').filter(({ name }) => /^ssh_host_.*_key$/.test(name));
  return keys.map(({ name }) => join('/etc/ssh', name));
}
