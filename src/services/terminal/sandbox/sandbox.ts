import { existsSync, rmdirSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { relative, sep } from 'node:path';
import type { SandboxConfig } from '../../../config/configTypes';
import { throwIfAborted } from '../../../utils/errors';
import { isInside } from '../../../utils/files/isInside';
import { t } from '../../../utils/l10n';
import type { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { locateProgram } from '../judge/plainProgram';
import { hiddenShell } from '../run/childProcessRunner';
import type { ProgramToRun } from '../run/childProcessRunner';
import type { ShellToUse } from '../run/terminalPorts';
import { bubblewrapArguments } from './bubblewrapArguments';
import { CacheCopies } from './caches/packageCaches';
import { toolsInCommand } from './caches/packageTools';
import { denialsIn } from './denials';
import { FolderListings } from './folderListings';
import { gitFoldersIn } from './git/gitFolders';
import { GitSettingCopies } from './git/gitSettings';
import { GitGuard, type GuardedPaths } from './git/gitGuard';
import { MadePaths } from './madePaths';
import { policyFor, stillHidden } from './policyBuilder';
import { preparePrivateFolder, type PrivateFolder } from './privateFolder';
import { probeSandbox, type ProbedProgram } from './probe';
import { relayCommand } from './proxyRelay';
import { sandboxEnvironment } from './sandboxEnvironment';
import { openNetwork } from './sandboxNetwork';
import {
  SandboxError,
  type CommandSandbox,
  type Denial,
  type SandboxedCommand,
  type SandboxedProgramRequest,
  type SandboxRequest,
  type SandboxState,
} from './sandboxPorts';
import type { SandboxPolicy } from './sandboxPolicy';
import { seatbeltProfile } from './seatbeltProfile';
import { noParts, workspaceParts, type WorkspaceParts } from './workspaceParts';

/**
 * Limits: number of processes in the sandbox, memory in kilobytes per process,
 * and file size in blocks (512 or 1024 bytes, depending on the shell).
 */
const maxProcesses = 4096;
const maxMemoryKb = Math.floor((totalmem() * 0.75) / 1024);
const maxFileBlocks = 20_000_000;
/** In dash, the option of ulimit for the number of processes is `-p`. */
const limits =
  `ulimit -u ${maxProcesses} 2>/dev/null || ulimit -p ${maxProcesses} 2>/dev/null; ` +
  `ulimit -d ${maxMemoryKb} 2>/dev/null; ulimit -f ${maxFileBlocks} 2>/dev/null; ulimit -c 0 2>/dev/null; `;

export interface SandboxHost {
  /** Folder for the data of the extension. */
  storage: string;
  /** Real paths of the workspace folders that checkpoints cover. Empty if checkpoints are off. */
  coveredRoots(): Promise<readonly string[]>;
  /** Absolute paths that the newest checkpoint of the session omitted, such as files over the size limit. */
  leftOut(sessionId: string): Promise<readonly string[]>;
  /** Value of the setting `checkpoints.exclude`. */
  exclude(): readonly string[];
  secrets(sessionId: string | null): Promise<Pick<FileSensitivity, 'isSecret'>>;
  config(): Pick<SandboxConfig, 'writablePaths' | 'readDenied'>;
  shell(signal: AbortSignal): Promise<ShellToUse>;
}

/** `command` is the program name that the user sees. `sessionId` is null outside a session. */
type ConfinedRequest = Omit<SandboxRequest, 'sessionId'> & { sessionId: string | null; program: ProgramToRun };

/** Sandbox with bubblewrap on Linux and Seatbelt on macOS. See docs/sandbox.md for the threat model. */
export class Sandbox implements CommandSandbox {
  private program: { file: string } | undefined;
  /** Paths that did not exist before, with the number of running commands that mount something on them. */
  private readonly absent = new Map<string, number>();
  private readonly listings = new FolderListings();
  private readonly made = new MadePaths();
  private readonly gitSettings = new GitSettingCopies();
  private prepared: { key: string; own: Promise<{ folder: PrivateFolder; copies: CacheCopies }> } | undefined;

  constructor(
    private readonly host: SandboxHost,
    private readonly platform: NodeJS.Platform = process.platform,
  ) {}

  async probe(): Promise<SandboxState> {
    const found = await this.probed();
    return 'file' in found ? { isAvailable: true } : found;
  }

  async wrap(request: SandboxRequest): Promise<SandboxedCommand> {
    const { file, env } = await this.host.shell(request.signal);
    const program = { file: hiddenShell(file), args: ['-c', `${limits}exec 2>&1; ${request.command}`], env };
    return this.confine({ ...request, program }, sandboxEnvironment);
  }

  async wrapProgram(request: SandboxedProgramRequest): Promise<SandboxedCommand> {
    const { file, args, env } = request.program;
    const program = { file: '/bin/sh', args: ['-c', `${limits}exec "$0" "$@"`, file, ...args], env };
    return this.confine({ ...request, sessionId: null, command: [file, ...args].join(' '), program }, (own, temporary) => ({
      ...own,
      ...sandboxEnvironment({}, temporary),
    }));
  }

  private async confine(request: ConfinedRequest, environmentOf: typeof sandboxEnvironment): Promise<SandboxedCommand> {
    const found = await this.probed();
    if (!('file' in found)) throw new SandboxError(found.reason, found.reason);
    const roots = await this.host.coveredRoots();
    if (!roots.some((root) => isInside(request.cwd, root))) {
      const text = t('Checkpoints do not cover this folder, so the command cannot run in the sandbox.');
      throw new SandboxError('Not covered by checkpoints', text);
    }
    const { sessionId, signal, program } = request;
    const { writablePaths, readDenied } = this.host.config();
    const { folder, copies } = await this.own(roots);
    const parts = await this.findParts(roots, sessionId, signal);
    const tools = new Set([...parts.tools, ...toolsInCommand(request.command)]);
    const caches = await copies.prepare({ tools, signal, onNote: request.onNote });
    const made = await this.made.findUnchanged([...parts.readOnly, ...parts.links]);
    const git = await locateProgram('git', roots);
    const guarded = await guardedIn(roots, { ...parts, links: parts.links.filter((path) => !made.has(path)) });
    const leftOut = sessionId === null ? [] : await this.host.leftOut(sessionId);
    const sources = {
      roots,
      folder,
      caches,
      parts: { ...parts, readOnly: parts.readOnly.filter((path) => !made.has(path)) },
      gitFolders: guarded.repositories,
      leftOut,
      git,
      storage: this.host.storage,
      writablePaths,
      readDenied,
      listings: this.listings,
      gitSettings: this.gitSettings,
    };
    const { policy, variables } = await policyFor(sources);
    throwIfAborted(signal);
    const guard = await GitGuard.start(guarded, git);
    const network = await openNetwork(request, this.platform).catch((error: unknown) => {
      guard.stop();
      throw error;
    });
    const absent = this.holdAbsent(policy.absent);
    const start = Date.now();
    const confined = { ...policy, hidden: await stillHidden(policy.hidden), absent, ...network.policy };
    const env = {
      ...environmentOf(program.env, this.platform === 'darwin' ? folder.temporary : '/tmp'),
      ...variables,
      ...network.variables,
    };
    return {
      program: this.createProgram(found.file, confined, {
        line: [program.file, ...program.args],
        cwd: request.cwd,
        env,
        filter: folder.filter,
      }),
      finish: async ({ exitCode, output }) => {
        await network.close();
        this.removeUnused(absent);
        const now = await this.findParts(roots, sessionId);
        const reverted = await guard.finish(await guardedIn(roots, now));
        await this.made.note([...now.readOnly, ...now.links], made, start);
        const denials = exitCode === 0 ? [] : merged(network.refused(), denialsIn(output, exitCode));
        copies.noteDenied(denials.flatMap(({ kind, target }) => (kind === 'write' && target !== null ? [target] : [])));
        return { denials, reverted: reverted.map((file) => shown(file, roots)) };
      },
    };
  }

  private async probed(): Promise<ProbedProgram> {
    if (this.program) return this.program;
    const found = await probeSandbox(await this.host.coveredRoots(), this.platform);
    if ('file' in found) this.program = found;
    return found;
  }

  /** Prepares the private folder once per window and workspace. Retries after a failure. */
  private async own(roots: readonly string[]): Promise<{ folder: PrivateFolder; copies: CacheCopies }> {
    const key = JSON.stringify(roots);
    const prepare = async () => {
      const folder = await preparePrivateFolder(this.host.storage, roots);
      return { folder, copies: new CacheCopies(folder.caches, await locateProgram('cp', roots)) };
    };
    if (this.prepared?.key !== key) this.prepared = { key, own: prepare() };
    try {
      return await this.prepared.own;
    } catch (error) {
      this.prepared = undefined;
      throw error;
    }
  }

  private async findParts(roots: readonly string[], sessionId: string | null, signal?: AbortSignal): Promise<WorkspaceParts> {
    const { listings } = this;
    const options = { exclude: this.host.exclude(), secrets: await this.host.secrets(sessionId), signal, listings };
    const all = noParts();
    for (const root of roots) {
      const parts = await workspaceParts(root, options);
      for (const kind of ['readOnly', 'hidden', 'gitFolders', 'gitFiles', 'links'] as const) all[kind].push(...parts[kind]);
      for (const tool of parts.tools) all.tools.add(tool);
    }
    return all;
  }

  /**
   * Returns the folders that do not exist, or exist only as mount points
   * of other commands. Synchronous, so that no other command interferes.
   */
  private holdAbsent(folders: readonly string[]): string[] {
    const absent = folders.filter((path) => this.absent.has(path) || !existsSync(path));
    for (const path of absent) this.absent.set(path, (this.absent.get(path) ?? 0) + 1);
    return absent;
  }

  /** Removes the empty mount points, unless another command uses them. Removing a mount point would end its mounts. */
  private removeUnused(absent: readonly string[]): void {
    for (const path of absent) {
      const others = (this.absent.get(path) ?? 1) - 1;
      if (others > 0) this.absent.set(path, others);
      else if (this.absent.delete(path)) removeIfEmpty(path);
    }
  }

  private createProgram(
    file: string,
    policy: SandboxPolicy,
    { line, cwd, env, filter }: { line: readonly string[]; cwd: string; env: NodeJS.ProcessEnv; filter: string | null },
  ): ProgramToRun {
    if (this.platform === 'darwin') return { file, args: ['-p', seatbeltProfile(policy), ...line], env };
    const inside = [...bubblewrapArguments(policy, cwd), '--', ...(policy.proxyFolder === null ? [] : relayCommand()), ...line];
    if (filter === null) return { file, args: inside, env };
    return { file: '/bin/sh', args: ['-c', 'exec 3<"$0" "$@"', filter, file, '--seccomp', '3', ...inside], env };
  }
}

async function guardedIn(roots: readonly string[], parts: WorkspaceParts): Promise<GuardedPaths> {
  const { gitFiles, links } = parts;
  const gitLinks = await Promise.all(
    gitFiles.map(async (file) => (await lstat(file).catch(() => null))?.isSymbolicLink() === true),
  );
  return {
    ...(await gitFoldersIn(parts.gitFolders)),
    roots,
    gitFiles,
    links: [...links, ...gitFiles.filter((_, index) => gitLinks[index])],
  };
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is not empty, or it is already gone.
  }
}

function merged(refused: readonly Denial[], said: readonly Denial[]): Denial[] {
  return [
    ...refused,
    ...said.filter(({ kind, target }) => !refused.some((one) => one.kind === kind && (target === null || one.target === target))),
  ];
}

function shown(file: string, roots: readonly string[]): string {
  const root = roots.find((folder) => isInside(file, folder));
  return root === undefined ? file : relative(root, file).split(sep).join('/');
}
