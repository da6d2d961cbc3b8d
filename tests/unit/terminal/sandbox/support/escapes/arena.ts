import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { makeSandboxBench, type SandboxBench, type SandboxRun } from '../sandboxBench';

/** Content of every planted secret. */
export const planted = 'planted-7c41';
/** Bench with secrets, servers that count connections, and hashes of everything outside the workspace. */
export interface Arena extends SandboxBench {
  /** Port of a server on the machine's loopback address. */
  port: number;
  /** Paths of Unix sockets that programs outside the sandbox listen on. */
  sockets: { home: string; workspace: string };
  /** Runs Git in every workspace folder as an editor does, and triggers hooks. */
  useGitOutside(): void;
  /** Saves the current state, which `damage` then compares with. */
  remember(): void;
  /** Returns the damage outside the workspace after these runs: changed files, connections, or secrets in the output. */
  damage(runs: readonly SandboxRun[]): string[];
}

/** Attempt to escape from the sandbox. Without `isOut`, only the damage that is checked for every attempt counts. */
export interface Attempt {
  name: string;
  /** Prepares the workspace or the home folder before the hashes are computed. */
  prepare?: (arena: Arena) => unknown;
  /** Commands that run one after the other, each in a new sandbox. Commands in an inner list run at the same time. */
  commands: (arena: Arena) => readonly (string | readonly string[])[];
  /** Returns true if the attempt succeeded. The check runs outside the sandbox. */
  isOut?: (arena: Arena, runs: readonly SandboxRun[]) => boolean;
  /** Runs Git outside the sandbox afterwards. */
  usesGit?: boolean;
  /** True if the attempt takes seconds, such as a race. Only `npm run test:fuzz -- sandbox` runs it. */
  isSlow?: boolean;
}

export async function makeArena(): Promise<Arena> {
  const bench = await makeSandboxBench();
  await bench.write('work/.gitignore', 'node_modules/\n/data/\n/keep/data/\n*.sqlite\n.env*\ndist/\n');
  for (const path of ['work/src/a.ts', 'work/data/kept.db', 'work/keep/data/kept.db', 'work/keep/a.ts', 'work/local.sqlite'])
    await bench.write(path);
  for (const path of ['work/.env', 'work/pkg/.env.local', '.ssh/id_ed25519', '.npmrc', '.netrc', 'storage/main.db'])
    await bench.write(path, planted);
  await bench.write('work/pkg/index.js', '');
  for (const path of ['.bashrc', '.profile', '.npm/_cacache/index', '.cache/pip/a', '.config/autostart/a.desktop', 'other/file'])
    await bench.write(path);
  for (const args of [
    ['add', '.'],
    ['commit', '-qm', 'First'],
  ])
    bench.git(...args);
  execFileSync('git', ['init', '-q', join(bench.home, 'other')]);
  let connections = 0;
  const servers: Server[] = [];
  const listen = async (at: object): Promise<Server> => {
    const server = createServer((client) => {
      connections += 1;
      client.on('error', () => undefined).end(planted);
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(at, resolve));
    servers.push(server);
    return server;
  };
  const sockets = { home: join(bench.home, '.agent.sock'), workspace: join(bench.root, 'node_modules/agent.sock') };
  await bench.write('work/node_modules/left/index.js');
  for (const path of Object.values(sockets)) await listen({ path });
  const tcp = await listen({ host: '127.0.0.1', port: 0 });
  const address = tcp.address();
  let before = hashesOf(bench.home);
  const arena: Arena = {
    ...bench,
    remember: () => {
      before = hashesOf(bench.home);
    },
    port: typeof address === 'object' && address !== null ? address.port : 0,
    sockets,
    useGitOutside: () => useGitIn(bench),
    damage: (runs) => [
      ...[...differences(before, hashesOf(bench.home))].map((path) => `changed: ${path}`),
      ...(connections > 0 ? [`${connections} connections`] : []),
      ...(runs.some(({ output }) => output.includes(planted)) ? ['a secret in the output'] : []),
    ],
    dispose: async () => {
      for (const server of servers) server.close();
      await bench.dispose();
    },
  };
  return arena;
}

/** Runs one attempt in a new arena. Resolves with the problems found, an empty list if nothing escaped from the sandbox. */
export async function runAttempt(attempt: Attempt): Promise<{ problems: string[]; runs: SandboxRun[] }> {
  const arena = await makeArena();
  try {
    await attempt.prepare?.(arena);
    arena.remember();
    const runs: SandboxRun[] = [];
    for (const step of attempt.commands(arena)) {
      if (typeof step === 'string') runs.push(await arena.run(step));
      else runs.push(...(await Promise.all(step.map((command) => arena.run(command)))));
    }
    if (attempt.usesGit === true) arena.useGitOutside();
    const problems = arena.damage(runs);
    if (attempt.isOut?.(arena, runs) === true) problems.push('the attempt succeeded');
    return { problems, runs };
  } finally {
    await arena.dispose();
  }
}

function useGitIn({ root, home }: SandboxBench): void {
  const env = { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const options = { env, timeout: 10_000, stdio: 'ignore' as const };
  for (const folder of foldersOf(root)) {
    spawnSync('git', ['status'], { ...options, cwd: folder });
    spawnSync('git', ['diff'], { ...options, cwd: folder });
  }
  spawnSync('git', ['commit', '-q', '--allow-empty', '-m', 'Outside'], { ...options, cwd: root });
  spawnSync('git', ['checkout', '-q', '-b', 'outside'], { ...options, cwd: root });
}

function foldersOf(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== '.git')
    .flatMap(({ name }) => foldersOf(join(folder, name)));
  return [folder, ...below];
}

/** Returns hashes of all files in a home folder, except the workspace and the extension's own data. */
function hashesOf(home: string): Map<string, string> {
  const hashes = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (folder === home && (name === 'work' || name === 'storage')) continue;
      const stats = lstatSync(path);
      const content = stats.isFile() ? readFileSync(path) : stats.isSymbolicLink() ? readlinkSync(path) : '';
      const text = `${stats.mode} ${stats.isDirectory() ? '' : stats.mtimeMs} ${createHash('sha256').update(content).digest('hex')}`;
      hashes.set(path, text);
      if (stats.isDirectory()) visit(path);
    }
  };
  visit(home);
  return hashes;
}

function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): Set<string> {
  const all = new Set([...before.keys(), ...now.keys()]);
  return new Set([...all].filter((path) => before.get(path) !== now.get(path)));
}

export function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
