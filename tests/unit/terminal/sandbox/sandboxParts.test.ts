import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapArguments } from '../../../../src/services/terminal/sandbox/bubblewrapArguments';
import { denialsIn } from '../../../../src/services/terminal/sandbox/denials';
import { FolderListings } from '../../../../src/services/terminal/sandbox/folderListings';
import { GitSettingCopies } from '../../../../src/services/terminal/sandbox/git/gitSettings';
import { isAllowed } from '../../../../src/services/terminal/sandbox/hostProxy';
import { stillHidden } from '../../../../src/services/terminal/sandbox/policyBuilder';
import { probeSandbox } from '../../../../src/services/terminal/sandbox/probe';
import { isRegenerable } from '../../../../src/services/terminal/sandbox/regenerable';
import { sandboxEnvironment } from '../../../../src/services/terminal/sandbox/sandboxEnvironment';
import type { SandboxPolicy } from '../../../../src/services/terminal/sandbox/sandboxPolicy';
import { seatbeltProfile } from '../../../../src/services/terminal/sandbox/seatbeltProfile';
import { seccompFilter } from '../../../../src/services/terminal/sandbox/seccompFilter';

const policy: SandboxPolicy = {
  roots: ['/home/a/work'],
  writable: ['/home/a/shared'],
  readOnly: ['/home/a/work/data'],
  fixed: ['/home/a/work/.git'],
  absent: ['/home/a/work/.vscode'],
  hidden: { files: ['/home/a/work/.env', '/home/a/odd "name"'], folders: ['/home/a/.ssh'] },
  mounts: [{ from: '/store/npm', to: '/home/a/.npm', isWritable: true }],
  temporary: '/store/tmp',
  blanks: '/store/blanks',
  proxyFolder: null,
  proxyPort: null,
};

describe('The parts of the sandbox', () => {
  it('mount what is read-only over what is writable, and what is hidden last', () => {
    const args = bubblewrapArguments(policy, '/home/a/work');
    const at = (path: string) => args.lastIndexOf(path);
    assert.deepEqual(args.slice(at('/') - 2, at('/') + 1), ['--ro-bind', '/', '/']);
    assert.ok(at('/home/a/work/.git') > at('/home/a/shared') && at('/home/a/work/data') > at('/home/a/work/.git'));
    assert.ok(at('/home/a/.ssh') > at('/home/a/work/data') && at('/home/a/work/.env') > at('/home/a/.ssh'));
    for (const option of ['--unshare-net', '--unshare-pid', '--disable-userns', '--die-with-parent', '--new-session'])
      assert.ok(args.includes(option), option);
    assert.ok(!args.includes('/run/ollama-copilot'));
  });

  it('show the program that relays connections where /tmp covers it, as with an AppImage', () => {
    const shown = (relay: string, proxyFolder: string | null = '/store/proxy'): string[] => {
      const args = bubblewrapArguments({ ...policy, proxyFolder }, '/home/a/work', relay);
      return args.slice(args.indexOf('/tmp') + 1, args.indexOf('/home/a/work') - 1);
    };
    const before = shown('/usr/bin/node');
    const folder = '/tmp/.mount_code/usr/share/code';
    assert.deepEqual(shown(`${folder}/code`), [...before, '--ro-bind', folder, folder]);
    assert.deepEqual(shown('/tmp/node'), [...before, '--ro-bind', '/tmp/node', '/tmp/node']);
    assert.deepEqual(shown(`${folder}/code`, null), before);
  });

  it('give macOS the same policy as a profile of Seatbelt', () => {
    assert.equal(
      seatbeltProfile(policy),
      [
        '(version 1)',
        '(allow default)',
        '(deny file-write*)',
        '(allow file-write* (subpath "/home/a/work") (subpath "/home/a/shared") (subpath "/store/npm") (subpath "/store/tmp") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/dtracehelper"))',
        '(deny file-write* (subpath "/home/a/work/data") (subpath "/home/a/work/.vscode"))',
        '(deny file-write-unlink (literal "/home/a/work") (literal "/home/a/work/data") (literal "/home/a/work/.git"))',
        '(deny file-read* file-write* (subpath "/home/a/.ssh") (literal "/home/a/work/.env") (literal "/home/a/odd \\"name\\""))',
        '(deny network*)',
        '(allow network-bind network-inbound (local ip "localhost:*"))',
        '(allow network-outbound (remote ip "localhost:*"))',
        '(deny appleevent-send)',
        '(deny signal (target others))',
        '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc") (global-name "com.apple.pasteboard.1") (global-name "com.apple.coreservices.appleevents") (global-name "com.apple.coreservices.launchservicesd") (global-name "com.apple.lsd.mapdb") (global-name "com.apple.tccd") (global-name "com.apple.usernoted.client"))',
        '',
      ].join('\n'),
    );
  });

  it('find hosts and paths in what programs print', () => {
    const cases: readonly [string, string | null, 'network' | 'write'][] = [
      ['curl: (6) Could not resolve host: registry.npmjs.org', 'registry.npmjs.org', 'network'],
      [
        'npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org',
        'registry.npmjs.org',
        'network',
      ],
      ["fatal: unable to access 'https://github.com/a/b.git/': Could not resolve host: github.com", 'github.com', 'network'],
      [
        'go: downloading x: dial tcp: lookup proxy.golang.org: Temporary failure in name resolution',
        'proxy.golang.org',
        'network',
      ],
      [
        "NameResolutionError: HTTPSConnection(host='pypi.org', port=443): Failed to resolve 'pypi.org' ([Errno -3])",
        'pypi.org',
        'network',
      ],
      ['wget: unable to resolve host address ‘example.org’', 'example.org', 'network'],
      ['ssh: Could not resolve hostname github.com: Temporary failure in name resolution', 'github.com', 'network'],
      ['ping: connect: Network is unreachable', null, 'network'],
      ["touch: cannot touch '/etc/x': Read-only file system", '/etc/x', 'write'],
      ['/bin/bash: line 1: data/n: Read-only file system', null, 'write'],
      ["Error: EROFS: read-only file system, open '/home/a/x'", '/home/a/x', 'write'],
      ["OSError: [Errno 30] Read-only file system: '/home/a/y'", '/home/a/y', 'write'],
      ['error: failed to open `/home/a/.cargo/x`: Read-only file system (os error 30)', '/home/a/.cargo/x', 'write'],
      ['open /home/a/go/pkg: read-only file system', '/home/a/go/pkg', 'write'],
    ];
    for (const [text, target, kind] of cases) assert.deepEqual(denialsIn(text, 1), [{ kind, target }], text);
    assert.deepEqual(denialsIn("touch: cannot touch '/etc/x': Read-only file system", 0), []);
    assert.deepEqual(denialsIn('AssertionError: expected 1 to be 2\n  at file.test.ts:3', 1), []);
  });

  it('allow hosts by name, and by a star for all names below', () => {
    assert.ok(isAllowed('pypi.org', ['PyPI.org']) && isAllowed('a.b.pypi.org', ['*.pypi.org']));
    assert.ok(!isAllowed('evilpypi.org', ['*.pypi.org', 'pypi.org']) && !isAllowed('pypi.org.evil.org', ['pypi.org']));
  });

  it('know what tools make again', () => {
    for (const name of ['node_modules', 'Target', '.venv', 'x.egg-info', 'cmake-build-debug'])
      assert.ok(isRegenerable(name, true), name);
    for (const name of ['data', 'secrets', 'uploads', 'node_modules2']) assert.ok(!isRegenerable(name, true), name);
    assert.ok(isRegenerable('a.pyc', false) && !isRegenerable('a.sqlite', false));
    // These folders may contain a user's work as well as build output.
    for (const name of ['output', 'generated', 'env']) assert.ok(!isRegenerable(name, true), name);
  });

  it('keep the variables of tools, and no others', () => {
    const base = {
      PATH: '/bin',
      NPM_TOKEN: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      VSCODE_IPC_HOOK_CLI: '/run/x',
      KEYBOARD: 'de',
      JAVA_HOME: '/j',
      GH_PAT: 'x',
    };
    const kept = sandboxEnvironment(base, '/tmp');
    assert.deepEqual(Object.keys(kept).sort(), [
      'JAVA_HOME',
      'KEYBOARD',
      'OLLAMA_COPILOT_SANDBOX',
      'PATH',
      'SPAWN_WRAP_SHIM_ROOT',
      'TEMP',
      'TMP',
      'TMPDIR',
    ]);
  });

  it('have a program of whole instructions for seccomp on known processors', () => {
    for (const processor of ['x64', 'arm64']) {
      const program = seccompFilter(processor);
      assert.ok(program !== null && program.length % 8 === 0 && program.length > 200);
      // Jump targets must be inside the program.
      for (let at = 0; at < program.length; at += 8) {
        const ifTrue = program[at + 2] ?? 0;
        const ifFalse = program[at + 3] ?? 0;
        assert.ok(at / 8 + 1 + Math.max(ifTrue, ifFalse) < program.length / 8 || program.readUInt16LE(at) === 6);
      }
    }
    assert.equal(seccompFilter('mips'), null);
  });

  it('copy the Git settings of the user again only after a change, also of an included file', async () => {
    const home = mkdtempSync(join(tmpdir(), 'settings-'));
    const own = join(home, '.gitconfig');
    const copies = new GitSettingCopies();
    const copied = async () => {
      const [mount] = await copies.mounts(home, '/usr/bin/git', home);
      return { text: readFileSync(mount?.from ?? '', 'utf8'), changed: lstatSync(mount?.from ?? '').ctimeMs };
    };
    writeFileSync(own, '[user]\n\tname = Ann\n[http]\n\textraHeader = secret\n');
    const first = await copied();
    assert.match(first.text, /^\[user\]\n\tname = "Ann"\n$/);
    assert.deepEqual(await copied(), first);
    writeFileSync(own, `[include]\n\tpath = ${join(home, 'more')}\n`);
    writeFileSync(join(home, 'more'), '[user]\n\tname = Bea\n');
    assert.match((await copied()).text, /"Bea"/);
    writeFileSync(join(home, 'more'), '[user]\n\tname = Cy\n');
    assert.match((await copied()).text, /"Cy"/);
    rmSync(home, { recursive: true });
  });

  it('hide only what still exists when the command starts', async () => {
    const home = mkdtempSync(join(tmpdir(), 'hidden-'));
    writeFileSync(join(home, 'key'), '');
    const hidden = { files: [join(home, 'key'), join(home, 'gone.sock')], folders: [home, join(home, 'gone')] };
    assert.deepEqual(await stillHidden(hidden), { files: [join(home, 'key')], folders: [home] });
    rmSync(home, { recursive: true });
  });

  it('are not available on Windows', async () => {
    assert.deepEqual(await probeSandbox([], 'win32'), {
      isAvailable: false,
      reason: 'The sandbox does not run on Windows.',
      fix: null,
    });
  });
});

describe('Remembered lists of folders', () => {
  it('follow every change of names, soon after another and later', () => {
    const folder = mkdtempSync(join(tmpdir(), 'listings-'));
    const listings = new FolderListings();
    const names = () => listings.list(folder).map(({ name }) => name);
    try {
      const old = new Date(Date.now() - 60_000);
      for (const name of ['a', 'b', 'c']) {
        writeFileSync(join(folder, name), '');
        assert.ok(names().includes(name));
        utimesSync(folder, old, old);
        names();
      }
      rmSync(join(folder, 'b'));
      assert.deepEqual(names(), ['a', 'c']);
      assert.deepEqual(listings.list(join(folder, 'missing')), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
