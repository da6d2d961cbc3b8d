import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../../../utils/files/isInside';

/**
 * Options that print the version, with the programs that support them. Excludes programs that contact a server (`gh`,
 * `terraform`) or run the version that the package names (`yarn`, `pnpm`).
 */
const versionOptions = new Map([
  [
    '--version',
    'node npm npx tsc deno bun python python3 pip pip3 ruby php perl java javac cargo rustc dotnet gcc cc clang make cmake docker ' +
      'bash curl jq rg tar grep sed',
  ],
  ['-v', 'node npm npx tsc bun ruby php perl make docker'],
  ['-V', 'deno python python3 pip pip3 cargo rustc curl rg grep'],
  ['-version', 'java javac'],
  ['version', 'go'],
]);

/** Files in which version managers look up the version to run. This version may be a program in the workspace. */
const versionFiles = [
  ...['.tool-versions', 'mise.toml', '.mise.toml', '.python-version', '.ruby-version', '.node-version', '.java-version'],
  ...['rust-toolchain', 'rust-toolchain.toml', 'global.json', '.sdkmanrc', '.envrc'],
];

/** Variables that prevent these programs from contacting a server or downloading another version. */
export const versionEnvironment: Readonly<Record<string, string>> = {
  GOTOOLCHAIN: 'local',
  RUSTUP_AUTO_INSTALL: '0',
  COREPACK_ENABLE_NETWORK: '0',
  npm_config_update_notifier: 'false',
  NO_UPDATE_NOTIFIER: '1',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
};

/** Returns whether a program with this single argument only prints its version. */
export function isVersionQuery(program: string, args: readonly string[]): boolean {
  return (
    args.length === 1 &&
    versionOptions
      .get(args[0] ?? '')
      ?.split(' ')
      .includes(program) === true
  );
}

/**
 * Returns whether a version file applies to the folder. The file may
 * be in the folder itself or in a parent folder inside the workspace.
 */
export async function hasVersionFile(folder: string, roots: readonly string[]): Promise<boolean> {
  for (let at = folder; roots.some((root) => isInside(at, root)); at = dirname(at)) {
    const found = await Promise.all(
      versionFiles.map((name) =>
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
