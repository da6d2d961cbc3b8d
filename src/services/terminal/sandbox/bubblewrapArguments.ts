import { dirname, join } from 'node:path';
import { isInside } from '../../../utils/files/isInside';
import type { SandboxPolicy } from './sandboxPolicy';

/**
 * Parts of `/run` that contain only programs (NixOS). The rest is hidden,
 * because its sockets lead to D-Bus, Docker, agents and displays.
 */
const programFolders = ['/run/current-system', '/run/wrappers', '/run/opengl-driver'];
/** Kernel settings. bwrap leaves them writable if its user owns them, as root does in a container. */
const kernelFolders = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map((name) => `/proc/${name}`);
const temporaryFolders = ['/tmp', '/var/tmp'];
/** Size of `/dev/shm`, in bytes. */
const sharedMemory = 1024 ** 3;

/** Arguments of bwrap(1) that isolate a process. They require bubblewrap 0.8 or newer (`--disable-userns`). */
export const isolation: readonly string[] = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--disable-userns', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
];

/**
 * Returns the arguments that precede the command in a bwrap(1) call on Linux. Later mounts cover earlier mounts. The order is:
 * the read-only system, writable parts, read-only parts inside them, hidden parts. With network access, the sandbox also shows
 * `relay`, the program that `relayCommand` starts.
 */
export function bubblewrapArguments(policy: SandboxPolicy, cwd: string, relay = process.execPath): string[] {
  const { roots, writable, readOnly, fixed, hidden, mounts, temporary, blanks, absent, proxyFolder } = policy;
  const all = (option: string, paths: readonly string[]) => paths.flatMap((path) => [option, path, path]);
  const nothing = join(blanks, 'nothing');
  const empty = join(blanks, 'empty');
  return [
    ...isolation,
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--size', String(sharedMemory), '--tmpfs', '/dev/shm', '--proc', '/proc'],
    ...all('--ro-bind-try', kernelFolders),
    ...['--tmpfs', '/run'],
    ...all('--ro-bind-try', programFolders),
    ...temporaryFolders.flatMap((folder) => ['--bind', temporary, folder]),
    ...all('--ro-bind', proxyFolder === null ? [] : findCoveredPart(relay)),
    ...all('--bind', roots),
    ...all('--bind-try', writable),
    ...mounts.flatMap(({ from, to, isWritable }) => [isWritable ? '--bind' : '--ro-bind', from, to]),
    ...all('--bind', fixed),
    ...all('--ro-bind-try', readOnly),
    ...[...absent, ...hidden.folders].flatMap((folder) => ['--ro-bind', nothing, folder]),
    ...hidden.files.flatMap((file) => ['--ro-bind', empty, file]),
    ...(proxyFolder === null ? [] : ['--ro-bind', proxyFolder, '/run/ollama-copilot']),
    ...['--chdir', cwd],
  ];
}

/**
 * Returns the paths to show for a program that the private `/tmp` would
 * hide. For example, an AppImage of the editor runs from a folder in `/tmp`.
 */
function findCoveredPart(program: string): string[] {
  if (!temporaryFolders.some((folder) => isInside(program, folder))) return [];
  const folder = dirname(program);
  return [temporaryFolders.includes(folder) ? program : folder];
}
