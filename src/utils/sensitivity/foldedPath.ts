/** File names without their leading dot. A Windows short name such as `GITIGN~1` is treated as one of these names. */
const dotNames = [
  ...[
    'git',
    'hg',
    'svn',
    'vscode',
    'husky',
    'githooks',
    'devcontainer',
    'cursor',
    'idea',
    'claude',
    'codex',
    'gemini',
    'mcp.json',
  ],
  ...['env', 'envrc', 'npmrc', 'yarnrc', 'pypirc', 'netrc', 'pgpass', 'htpasswd', 'git-credentials', 'dockercfg'],
  ...['ssh', 'aws', 'gnupg', 'azure', 'kube', 'docker', 'secrets', 'mvn', 'yarn', 'venv', 'cargo'],
  ...[
    'gitignore',
    'gitattributes',
    'gitmodules',
    'ignore',
    'rgignore',
    'ollamacopilotignore',
    'gitpod.yml',
    'simple-git-hooks.json',
  ],
  'devcontainer.json',
].map((name) => ({ base: baseName(name), extension: readExtension(name), long: `.${name}` }));

const plainNames = [
  ...['package.json', 'package-lock.json', 'credentials', 'credentials.json', 'secrets.json', 'secrets.yml', 'kubeconfig'],
  ...['id_ed25519', 'id_ecdsa', 'service-account.json', 'service_account.json', 'terraform.tfstate', 'terraform.tfvars'],
  ...[
    'node_modules',
    'docker-compose.yml',
    'Dockerfile',
    'Makefile',
    'pyproject.toml',
    'CMakeLists.txt',
    'lint-staged.config.js',
  ],
].map((name) => ({ base: baseName(name), extension: readExtension(name), long: name }));

const longNames = [...dotNames, ...plainNames];

/** Hash-based Windows short names. Windows uses them if the plain short names are taken, as in git's `is_ntfs_dot_generic`. */
const hashedShortNames: Readonly<Record<string, string>> = {
  gi7eba: '.gitmodules',
  gi7d29: '.gitattributes',
  gi250a: '.gitignore',
};

/**
 * Returns the path as lenient file systems interpret it, separated by `/`. Windows treats `.env.`, `.env::$DATA` and
 * `ENV~1` as `.env`. Other systems ignore invisible characters.
 */
export function foldedPath(path: string): string {
  // Fast path for plain names.
  if (/^(?:[\w+@/-]|\.(?=[\w+@-]))*$/.test(path)) return path;
  return path.split(/[\\/]/).map(foldedName).join('/');
}

function foldedName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}]/gu, '')
    .replace(/:.*$/, '')
    .replace(/(?<=[^. ])[. ]+$/, '');
  return longName(plain) ?? plain;
}

/** Returns the known long name of a short name (`XXXXXX~1.EXT`), or undefined. */
function longName(name: string): string | undefined {
  const found = /^([^.~]{1,6})~\d{1,6}(?:\.([^.]{0,3}))?$/.exec(name);
  if (!found) return undefined;
  const base = (found[1] as string).toLowerCase();
  const extension = (found[2] ?? '').toLowerCase();
  if (hashedShortNames[base] !== undefined) return hashedShortNames[base];
  // Windows shortens `.env.local` to `ENV~1.LOC`.
  if (base === 'env') return extension === '' ? '.env' : `.env.${extension}`;
  return longNames.find((one) => one.base === base && one.extension === extension)?.long;
}

function baseName(name: string): string {
  const dot = name.lastIndexOf('.');
  return (dot < 0 ? name : name.slice(0, dot)).replaceAll('.', '').slice(0, 6).toLowerCase();
}

function readExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1, dot + 4).toLowerCase();
}
