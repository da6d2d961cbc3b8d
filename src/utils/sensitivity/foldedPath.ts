/** Names that nobody may hide behind a short name of Windows (`GITIGN~1`), without their dots. */
const shortened = [
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
].map((name) => ({ base: baseOf(name), extension: extensionOf(name), long: `.${name}` }));

const withoutDot = [
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
].map((name) => ({ base: baseOf(name), extension: extensionOf(name), long: name }));

const known = [...shortened, ...withoutDot];

/** Short names that Windows makes of a hash where the plain ones are taken, as git knows them (`is_ntfs_dot_generic`). */
const hashed: Readonly<Record<string, string>> = { gi7eba: '.gitmodules', gi7d29: '.gitattributes', gi250a: '.gitignore' };

/**
 * Returns the path as a forgiving file system reads it: Windows reads `.env.`, `.env::$DATA` and `ENV~1` as `.env`, others pass over
 * characters that nobody sees. Divided by `/`.
 */
export function foldedPath(path: string): string {
  // Most names are plain.
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

/** Returns the name that a short one (`XXXXXX~1.EXT`) stands for where it may be one of those above. */
function longName(name: string): string | undefined {
  const found = /^([^.~]{1,6})~\d{1,6}(?:\.([^.]{0,3}))?$/.exec(name);
  if (!found) return undefined;
  const [base, extension] = [(found[1] as string).toLowerCase(), (found[2] ?? '').toLowerCase()];
  if (hashed[base] !== undefined) return hashed[base];
  // `.env.local` is `ENV~1.LOC`.
  if (base === 'env') return extension === '' ? '.env' : `.env.${extension}`;
  return known.find((one) => one.base === base && one.extension === extension)?.long;
}

function baseOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return (dot < 0 ? name : name.slice(0, dot)).replaceAll('.', '').slice(0, 6).toLowerCase();
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1, dot + 4).toLowerCase();
}
