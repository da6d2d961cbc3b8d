import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeServerFolder } from './location';
import { endGroup, spawnGroup } from './processGroup';

export interface EditorServerOptions {
  userDataDir: string;
  extensionsDir: string;
  /** Folder that replaces the built-in extensions. See `linkBuiltinExtensions`. */
  builtinExtensionsDir?: string;
  /** Kind of server. `product`: the complete product for users. `bare`: the server inside it, which can run extension tests. */
  kind: 'product' | 'bare';
  env?: NodeJS.ProcessEnv;
  /** Output file of strace for the connections of the server and its descendants. */
  traceFile?: string | undefined;
  /** True to omit the flag that disables workspace trust. */
  isTrustAsked?: boolean;
}

/** Environment of a server that must not search for extensions on the network. */
export const withoutGallery = { EXTENSIONS_GALLERY: '{}' };

/** Arguments for strace. Traces what `connectionsIn` reads, without stopping at other system calls. */
const traceArguments = ['-f', '--seccomp-bpf', '-e', 'trace=connect,clone,clone3', '-e', 'signal=none', '-o'];

/** VS Code's server in a separate process group. */
export class EditorServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly logFile: string,
    /** Address without a trailing slash. */
    readonly url: string,
    /** Resolves when the server has exited. */
    readonly ended: Promise<void>,
  ) {}

  static async start(options: EditorServerOptions): Promise<EditorServer> {
    await mkdir(options.userDataDir, { recursive: true });
    await mkdir(options.extensionsDir, { recursive: true });
    const logFile = path.join(options.userDataDir, 'server.log');
    const log = createWriteStream(logFile);
    const { traceFile } = options;
    const tracing = traceFile === undefined ? [] : ['strace', ...traceArguments, traceFile];
    const [file = '', ...args] = [...tracing, process.execPath, ...serverArguments(options)];
    const child = spawnGroup(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...cleanEnvironment(), ...(await ownTemporaryFolder(options.userDataDir)), ...options.env },
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const url = new Promise<string>((resolve, reject) => {
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.pipe(log, { end: false });
        stream?.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          const port = /(?:Server bound to |HTTP server listening on http:\/\/)127\.0\.0\.1:(\d+)\D/.exec(said)?.[1];
          if (port) resolve(`http://127.0.0.1:${port}`);
        });
      }
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`VS Code's server ended with code ${String(code)}:\n${said}`)));
    });
    try {
      return new EditorServer(child, logFile, await url, ended);
    } catch (error) {
      await endGroup(child);
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  log(): Promise<string> {
    return readFile(this.logFile, 'utf8').catch(() => '');
  }

  close(): Promise<void> {
    return endGroup(this.child);
  }
}

/** Installs a VSIX into an extensions folder, as the Extensions view does. */
export async function installExtension(vsix: string, directories: Directories): Promise<void> {
  await mkdir(directories.extensionsDir, { recursive: true });
  const args = [...productArguments(directories), '--install-extension', vsix, '--force'];
  const child = spawnGroup(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: cleanEnvironment() });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code !== 0 || !said.includes('was successfully installed')) throw new Error(`${vsix} could not be installed:\n${said}`);
}

function serverArguments(options: EditorServerOptions): string[] {
  if (options.kind === 'product') {
    const quiet = [
      '--disable-telemetry',
      '--disable-update-check',
      ...(options.isTrustAsked === true ? [] : ['--disable-workspace-trust']),
      '--disable-getting-started-override',
    ];
    return [...productArguments(options), '--auth', 'none', '--bind-addr', '127.0.0.1:0', ...quiet];
  }
  const server = path.join(codeServerFolder(), 'node_modules/code-server/lib/vscode/out/server-main.js');
  const access = ['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms'];
  const quiet = ['--telemetry-level', 'off', '--disable-workspace-trust', '--enable-smoke-test-driver'];
  return [server, ...access, ...quiet, ...folderArguments(options)];
}

type Directories = Pick<EditorServerOptions, 'userDataDir' | 'extensionsDir' | 'builtinExtensionsDir'>;

function productArguments(directories: Directories): string[] {
  const entry = path.join(codeServerFolder(), 'node_modules/code-server/out/node/entry.js');
  const { userDataDir } = directories;
  const own = ['--config', path.join(userDataDir, 'config.yaml'), '--session-socket', path.join(userDataDir, 'session.sock')];
  return [entry, ...own, ...folderArguments(directories)];
}

function folderArguments({ userDataDir, extensionsDir, builtinExtensionsDir }: Directories): string[] {
  const builtin = builtinExtensionsDir === undefined ? [] : ['--builtin-extensions-dir', builtinExtensionsDir];
  return ['--user-data-dir', userDataDir, '--extensions-dir', extensionsDir, ...builtin];
}

/**
 * The editor leaves sockets in the temporary folder. On systems other
 * than Linux, the path of that folder is too long to nest folders in it.
 */
async function ownTemporaryFolder(userDataDir: string): Promise<NodeJS.ProcessEnv> {
  if (process.platform !== 'linux') return {};
  const folder = path.join(userDataDir, 'tmp');
  await mkdir(folder, { recursive: true });
  return { TMPDIR: folder };
}

/**
 * Creates a home folder for the shells of a test. The user's own shell starts slowly, and tests must not affect it. The editor reads the
 * environment of its extensions from a login shell, which must find the same programs as the terminals.
 */
export async function ownHome(userDataDir: string): Promise<NodeJS.ProcessEnv> {
  const folder = path.join(userDataDir, 'home');
  await mkdir(folder, { recursive: true });
  const quoted = (process.env.PATH ?? '').replaceAll("'", String.raw`'\''`);
  await writeFile(path.join(folder, '.profile'), `PATH='${quoted}'; export PATH\n`);
  return { HOME: folder };
}

/** Returns the environment without the variables that editors set in their terminals and that npm and mocha set for child processes. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_|ELECTRON_|npm_|MOCHA_|NODE_OPTIONS$|CODE_SERVER_|PORT$|PASSWORD$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
