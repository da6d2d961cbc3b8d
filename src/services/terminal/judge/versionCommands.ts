import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../../../utils/isInside';

const long = ['--version'];
const andSmallV = ['--version', '-v'];
const andLargeV = ['--version', '-V'];

/**
 * Options that ask a program for its version. Left out are those that ask a server (`gh`, `terraform`), and those that
 * run what the
 * package names (`yarn`, `pnpm`).
 */
const versions: Readonly<Record<string, readonly string[]>> = {
  node: andSmallV,
  npm: andSmallV,
  npx: andSmallV,
  tsc: andSmallV,
  deno: andLargeV,
  bun: andSmallV,
  python: andLargeV,
  python3: andLargeV,
  pip: andLargeV,
  pip3: andLargeV,
  ruby: andSmallV,
  php: andSmallV,
  perl: andSmallV,
  java: ['--version', '-version'],
  javac: ['--version', '-version'],
  go: ['version'],
  cargo: andLargeV,
  rustc: andLargeV,
  dotnet: long,
  gcc: long,
  cc: long,
  clang: long,
  make: andSmallV,
  cmake: long,
  docker: andSmallV,
  bash: long,
  curl: andLargeV,
  jq: long,
  rg: andLargeV,
  tar: long,
  grep: andLargeV,
  sed: long,
};

/** Files by which version managers choose what runs, even a program of the workspace. */
const steering = [
  ...['.tool-versions', 'mise.toml', '.mise.toml', '.python-version', '.ruby-version', '.node-version', '.java-version'],
  ...['rust-toolchain', 'rust-toolchain.toml', 'global.json', '.sdkmanrc', '.envrc'],
];

/** Variables that keep them from asking a server, or from fetching another version. */
export const versionEnvironment: Readonly<Record<string, string>> = {
  GOTOOLCHAIN: 'local',
  RUSTUP_AUTO_INSTALL: '0',
  COREPACK_ENABLE_NETWORK: '0',
  npm_config_update_notifier: 'false',
  NO_UPDATE_NOTIFIER: '1',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
};

/** Returns whether a program with this only argument prints its version and no more. */
export function asksVersion(program: string, args: readonly string[]): boolean {
  const known = Object.hasOwn(versions, program) ? versions[program] : undefined;
  return args.length === 1 && known?.includes(args[0] ?? '') === true;
}

/** Resolves with whether a file in the folder, or above it in the workspace, chooses which version runs there. */
export async function choosesVersion(folder: string, roots: readonly string[]): Promise<boolean> {
  for (let at = folder; roots.some((root) => isInside(at, root)); at = dirname(at)) {
    const found = await Promise.all(
      steering.map((name) =>
        access(join(at, name)).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (found.includes(true)) return true;
    if (dirname(at) === at) break;
  }
  return false;
}
