import { execFileSync } from 'node:child_process';
import type { Attempt } from './arena';

const printed = (pattern: RegExp): NonNullable<Attempt['isOut']> => {
  return (_, runs) => runs.some(({ output }) => pattern.test(output));
};

/** The numbers of system calls depend on the processor. */
const isArm = process.arch === 'arm64';
const numbers = isArm
  ? { socket: 198, keyctl: 219, addKey: 217, bpf: 280, ptrace: 117, ring: 425, perf: 241, fault: 282, ioctl: 29, handle: 265 }
  : { socket: 41, keyctl: 250, addKey: 248, bpf: 321, ptrace: 101, ring: 425, perf: 298, fault: 323, ioctl: 16, handle: 304 };

/** Attempts to reach other processes, the kernel, the network, and services on the machine. */
export const processEscapes: readonly Attempt[] = [
  {
    name: 'a server on the loopback address, by all names',
    commands: ({ port }) => [
      `for h in 127.0.0.1 localhost 0.0.0.0 ::1 127.1 2130706433 $(hostname) $(hostname -I); do timeout 1 bash -c "exec 5<>/dev/tcp/$h/${port}; cat <&5"; done 2>/dev/null; curl -sm1 http://127.0.0.1:${port} http://[::ffff:127.0.0.1]:${port}; true`,
    ],
  },
  {
    name: 'Unix sockets in the home folder and in the workspace',
    commands: ({ sockets }) =>
      Object.values(sockets).map(
        (path) =>
          `perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => "${path}") or exit 0; print <$s>'; curl -sm1 --unix-socket ${path} http://x/; true`,
      ),
  },
  {
    name: 'an abstract socket, and names of the desktop',
    commands: () => [
      `perl -MSocket -e 'for my $n ("\\0/tmp/.X11-unix/X0", "\\0/tmp/dbus-x", "/run/user/0/bus", "/run/docker.sock", "/var/run/docker.sock", "/run/systemd/private", "/run/dbus/system_bus_socket") { socket(my $s, AF_UNIX, SOCK_STREAM, 0); print "REACHED $n\\n" if connect($s, pack_sockaddr_un($n)) }'`,
    ],
    isOut: printed(/REACHED/),
  },
  {
    name: 'socket families that are not in a network namespace',
    commands: () => [
      `perl -e 'for my $f (40, 38, 17, 31, 29, 30, 42, 43, 44, 45, 21, 39, 35, 36, 37, 41) { for my $t (1, 2, 3, 5) { print "OPEN $f $t\\n" if syscall(${numbers.socket}, $f, $t, 0) >= 0 } }'`,
    ],
    isOut: printed(/OPEN/),
  },
  {
    name: 'netlink, raw sockets and interfaces',
    commands: () => [
      `ip link set lo down 2>/dev/null && echo OPEN; ip link add d0 type dummy 2>/dev/null && echo OPEN; perl -e 'print "OPEN\\n" if syscall(${numbers.socket}, 2, 3, 1) >= 0'; true`,
    ],
    isOut: printed(/OPEN/),
  },
  {
    name: 'keys of the kernel',
    commands: () => [
      `perl -e '$k = syscall(${numbers.keyctl}, 0, -4, 0, 0, 0); print "KEY $k\\n" if $k > 0; $t = "user"; $n = "oc"; $v = "x"; print "KEY\\n" if syscall(${numbers.addKey}, $t, $n, $v, 1, -4) > 0'; cat /proc/keys | head -c 200`,
    ],
    isOut: printed(/KEY/),
  },
  {
    name: 'bpf, io_uring, perf, userfaultfd, file handles',
    commands: () => [
      `perl -e '$b = "\\0" x 128; for ([${numbers.bpf}, 5, $b, 128], [${numbers.ring}, 4, $b], [${numbers.perf}, $b, 0, -1, -1, 0], [${numbers.fault}, 1], [${numbers.handle}, 3, $b, 0]) { my @a = @$_; my $r = syscall($a[0], @a[1..$#a]); print "CALL $a[0] $!\\n" if $r >= 0 or $! != 1 }'`,
    ],
    isOut: printed(/CALL/),
  },
  {
    name: 'programs of another architecture',
    commands: () => [
      // x32: getpid with bit 30 set
      `perl -e 'print "CALL\\n" if syscall(0x40000000 + 39) > 0'; setarch linux32 true; true`,
    ],
    isOut: printed(/CALL/),
  },
  {
    name: 'ptrace and memory of processes outside',
    commands: () => [
      `for p in ${process.pid} ${process.ppid}; do perl -e 'print "TRACED\\n" if syscall(${numbers.ptrace}, 16, $ARGV[0], 0, 0) == 0' $p; head -c1 /proc/$p/mem && echo TRACED; cat /proc/$p/environ && echo TRACED; done 2>/dev/null; ls /proc | grep -c '^[0-9]*$'`,
    ],
    isOut: (arena, runs) => printed(/TRACED/)(arena, runs) || Number(runs[0]?.output.trim().split('\n').at(-1)) > 12,
  },
  {
    name: 'signals to all processes',
    commands: () => [`kill -9 ${process.pid} ${process.ppid}; kill -9 -1`],
    isOut: () => {
      process.kill(process.ppid, 0);
      return false;
    },
  },
  {
    name: 'open descriptors',
    commands: () => [
      'for f in /proc/$$/fd/* /proc/1/fd/*; do [ ${f##*/} -gt 2 ] && echo "FD $(readlink $f)"; done 2>/dev/null | grep -v -e " anon_inode" -e " pipe:" -e " $" -e "/usr/"; true',
    ],
    isOut: printed(/^FD/m),
  },
  {
    name: 'the terminal',
    commands: () => [
      `perl -e 'open(T, "+<", "/dev/tty") and print "TTY\\n"; for my $f (0, 1, 2) { my $c = "x"; print "TTY $f\\n" if syscall(${numbers.ioctl}, $f, 0x5412, $c) >= 0 }'; tty && echo TTY; ls /dev/pts/[0-9]* 2>/dev/null && echo TTY; true`,
    ],
    isOut: printed(/^TTY/m),
  },
  {
    name: 'setuid programs and rights',
    commands: () => [
      'cp $(command -v sh) /tmp/s; chmod u+s /tmp/s; grep -E "NoNewPrivs|CapEff|CapBnd|CapPrm|CapAmb|Seccomp:" /proc/self/status; sudo -n true && echo ROOT; su -c true </dev/null && echo ROOT; pkexec true && echo ROOT; true',
    ],
    isOut: (_, [run]) =>
      !/NoNewPrivs:\s+1/.test(run?.output ?? '') ||
      !/Seccomp:\s+2/.test(run?.output ?? '') ||
      /Cap(Eff|Bnd|Prm|Amb):\s+0*[1-9a-f]/.test(run?.output ?? ''),
  },
  {
    name: 'a library that is loaded into every program',
    commands: ({ home }) => [
      `echo x > /etc/ld.so.preload; echo x > ${home}/lib.so; LD_PRELOAD=/tmp/x.so NODE_OPTIONS=--require=/tmp/x.js true; echo x >> /etc/environment; true`,
    ],
  },
  {
    name: 'many processes',
    commands: () => [
      `for i in $(seq 150); do (sleep 38${process.pid} &) ; done; setsid nohup sleep 38${process.pid} >/dev/null 2>&1 & disown; true`,
    ],
    isOut: () => execFileSync('ps', ['-A', '-o', 'args=']).includes(`sleep 38${process.pid}`),
  },
  {
    name: 'limits',
    commands: () => [
      'ulimit -d; ulimit -c; ulimit -f; ulimit -u; ulimit -d unlimited 2>/dev/null && echo RAISED; ulimit -u unlimited 2>/dev/null && echo RAISED; true',
    ],
    isOut: (_, [run]) => /unlimited|RAISED/.test(run?.output ?? ''),
  },
  {
    name: 'programs that outlive the command and write afterwards',
    commands: () => [
      `trap '' TERM HUP; (setsid sh -c 'trap "" TERM HUP; while :; do touch .git/commondir .vscode/x src/late 2>/dev/null; done' >/dev/null 2>&1 &); sleep 0.2`,
    ],
    isOut: ({ root }) => {
      const { mtimeMs } = execFileStat(`${root}/src/late`);
      execFileSync('sleep', ['0.3']);
      return execFileStat(`${root}/src/late`).mtimeMs !== mtimeMs || execFileSync('ls', [`${root}/.git`]).includes('commondir');
    },
  },
  {
    name: 'variables with secrets',
    commands: () => ['env'],
    prepare: () => {
      for (const [name, value] of Object.entries(secretVariables)) process.env[name] = value;
    },
    isOut: () => {
      for (const name of Object.keys(secretVariables)) delete process.env[name];
      return false;
    },
  },
  {
    name: 'shared memory and queues',
    commands: () => ['ipcs -a; ls /dev/shm /dev/mqueue 2>/dev/null; ls /dev/shm | grep -q . && echo SHARED; true'],
    isOut: (arena, runs) => !arena.home.startsWith('/dev/shm') && printed(/SHARED/)(arena, runs),
  },
];

const secretVariables: Readonly<Record<string, string>> = {
  PGPASSWORD: 'planted-7c41',
  MYSQL_PWD: 'planted-7c41',
  DB_PASS: 'planted-7c41',
  DATABASE_URL: 'postgres://user:planted-7c41@db/x',
  ALL_PROXY: 'http://user:planted-7c41@proxy:80',
  GITHUB_TOKEN: 'planted-7c41',
  MY_SECRET_VALUE: 'planted-7c41',
  SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/planted-7c41',
  CONNECTION_STRING: 'Server=x;Password=planted-7c41',
};

function execFileStat(path: string): { mtimeMs: number } {
  return { mtimeMs: Number(execFileSync('stat', ['-c', '%.9Y', path], { encoding: 'utf8' })) };
}
