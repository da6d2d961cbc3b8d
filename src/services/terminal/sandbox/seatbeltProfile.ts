import type { SandboxPolicy } from './sandboxPolicy';

/** macOS services through which a process could act outside its sandbox or read secrets. */
const deniedServices = [
  ...['com.apple.SecurityServer', 'com.apple.securityd.xpc', 'com.apple.pasteboard.1', 'com.apple.coreservices.appleevents'],
  ...['com.apple.coreservices.launchservicesd', 'com.apple.lsd.mapdb', 'com.apple.tccd', 'com.apple.usernoted.client'],
];

/** Files in `/dev` that programs write to. */
const devices = ['/dev/null', '/dev/zero', '/dev/tty', '/dev/stdout', '/dev/stderr', '/dev/dtracehelper'];

/**
 * Returns the profile for sandbox-exec(1) on macOS. The policy is the same as on Linux, with two differences. The loopback
 * address is shared with the machine. Hidden paths stay visible, but access to them is denied. The last matching rule applies.
 */
export function seatbeltProfile(policy: SandboxPolicy): string {
  const { roots, writable, readOnly, fixed, absent, hidden, mounts, temporary, proxyPort } = policy;
  const own = mounts.filter(({ isWritable }) => isWritable).map(({ from }) => from);
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    rule('allow file-write*', [...subpaths([...roots, ...writable, ...own, temporary]), ...devices.map((file) => literal(file))]),
    rule('deny file-write*', subpaths([...readOnly, ...absent])),
    // Renaming a parent folder would move the paths out of these rules.
    rule('deny file-write-unlink', [...roots, ...readOnly, ...fixed].map(literal)),
    rule('deny file-read* file-write*', [...subpaths(hidden.folders), ...hidden.files.map(literal)]),
    '(deny network*)',
    '(allow network-bind network-inbound (local ip "localhost:*"))',
    '(allow network-outbound (remote ip "localhost:*"))',
    ...(proxyPort === null ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    '(deny appleevent-send)',
    '(deny signal (target others))',
    rule(
      'deny mach-lookup',
      deniedServices.map((name) => `(global-name ${quoted(name)})`),
    ),
    '',
  ]
    .filter((line, index, all) => line !== '' || index === all.length - 1)
    .join('\n');
}

function rule(action: string, filters: readonly string[]): string {
  return filters.length === 0 ? '' : `(${action} ${filters.join(' ')})`;
}

function subpaths(paths: readonly string[]): string[] {
  return paths.map((path) => `(subpath ${quoted(path)})`);
}

function literal(path: string): string {
  return `(literal ${quoted(path)})`;
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
