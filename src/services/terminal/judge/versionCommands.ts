import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../../../utils/files/isInside';

/**
 * Programs that an option, given alone, asks for their version. Left out are those that ask a server (`gh`, `terraform`), and
 * those that run what the package names (`yarn`, `pnpm`).
 */
const asked = new Map([
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
  return (
    args.length === 1 &&
    asked
      .get(args[0] ?? '')
      ?.split(' ')
      .includes(program) === true
  );
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
