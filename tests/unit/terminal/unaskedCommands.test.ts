import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PathError } from '../../../src/services/files/pathError';
import type { ToolResult } from '../../../src/agent/tools/kernel/tool';
import { runTerminalCommandTool } from '../../../src/agent/tools/command/runTerminalCommand';
import { TerminalManager, type CommandOutcome, type CommandRequest } from '../../../src/services/terminal/run/terminalManager';
import { systemClock } from '../../../src/utils/clock';
import { CancelledError } from '../../../src/utils/errors';
import { silentLogger } from '../../../src/utils/logger';
import { isProcessGone } from '../../../src/utils/processes';
import { ToolBench } from '../agent/support/toolBench';
import { bypasses, harmless } from './support/bypasses';
import { askedAbout, everyday } from './support/everyday';
import { runIn } from './support/realGit';
import { until } from '../../support/until';

const outcome: CommandOutcome = { output: '', exitCode: 0, status: 'exited', via: 'childProcess', truncatedLines: 0 };

describe('commands without a question', () => {
  let bench: ToolBench;
  let requests: CommandRequest[];
  const { PATH } = process.env;
  before(async () => {
    bench = await ToolBench.start();
    await mkdir(bench.file('sub'));
    await mkdir(bench.file('with blank'));
    await mkdir(path.join(bench.root, 'elsewhere'));
    await writeFile(path.join(bench.root, 'outside.txt'), 'outside');
    await writeFile(path.join(bench.root, 'elsewhere', 'outside.txt'), 'outside');
    await mkdir(bench.file('local'));
    await writeFile(bench.file('.gitignore'), 'local/\nkept.txt\n');
    for (const name of ['local/db.php', 'sub/kept.txt', 'a.txt', 'sub/b.txt', 'with blank/c.txt', '.env', 'sub/server.pem'])
      await writeFile(bench.file(name), 'hello');
    await symlink(path.join(bench.root, 'outside.txt'), bench.file('link.txt'));
    await symlink(path.join(bench.root, 'elsewhere'), bench.file('linked'));
    await symlink(bench.file('.env'), bench.file('hidden.txt'));
    await symlink(bench.file('a.txt'), bench.file('inside.txt'));
    // Git always needs approval outside a repository.
    await runIn(bench.file(), 'git', ['init', '-q', '-b', 'main']);
  });
  beforeEach(() => {
    requests = [];
    bench.questions.length = bench.unasked.length = 0;
    bench.isApproved = false;
    bench.grants = { commands: true, sandbox: false, hosts: [], sensitiveEdits: true, allowedCommands: [], files: [] };
  });
  afterEach(() => void (process.env['PATH'] = PATH));
  after(() => bench.stop());

  const nothing = {
    start: () => Promise.reject(new Error('not in the background')),
    running: () => [],
    whenEnded: async () => undefined,
  };
  const recording = { run: async (request: CommandRequest) => (requests.push(request), outcome) };
  const run = (command: string, more: Record<string, unknown> = {}): Promise<ToolResult> =>
    bench.run(runTerminalCommandTool(bench.access, { terminals: recording, background: nothing }), { command, ...more });

  /** Runs a command. Returns the outcome: it ran, needed approval, or was rejected. */
  async function fate(command: string, more: Record<string, unknown> = {}): Promise<'ran' | 'asked' | 'refused'> {
    requests.length = bench.questions.length = 0;
    const prepared = runTerminalCommandTool(bench.access, { terminals: recording, background: nothing }).prepare({
      command,
      ...more,
    });
    if (!prepared.isValid) return 'refused';
    await run(command, more).catch((error: unknown) => assert.equal(error instanceof PathError, true));
    if (requests.length > 0) return 'ran';
    return bench.questions.length > 0 ? 'asked' : 'refused';
  }

  for (const [kind, commands] of Object.entries(bypasses)) {
    it(`are never ${kind}`, async () => {
      const ran: string[] = [];
      for (const command of commands) if ((await fate(command)) === 'ran') ran.push(command);
      assert.deepEqual(ran, []);
    });
  }

  it('have a corpus of bypasses that is worth the name', () => {
    const all = Object.values(bypasses).flat();
    assert.deepEqual([all.length >= 600, new Set(all).size], [true, all.length]);
  });

  it('are those that only read, as programs without a shell, and are noted as not asked about', async () => {
    const asked: string[] = [];
    for (const command of harmless)
      if ((await fate(command)) !== 'ran' || requests[0]?.program === undefined) asked.push(command);
    assert.deepEqual(asked, []);
    assert.equal(bench.unasked.length, harmless.length);
  });

  it('are at least 85 of 100 everyday ones that only read', async () => {
    const programs = path.join(bench.root, 'programs');
    await mkdir(programs);
    const all = everyday.flatMap(({ commands }) => commands);
    for (const name of new Set(all.map((command) => command.split(' ')[0] as string)))
      await writeFile(path.join(programs, name), '#!/bin/sh\n', { mode: 0o755 });
    await rm(path.join(programs, 'git'));
    process.env['PATH'] = `${PATH}${path.delimiter}${programs}`;
    const asked: string[] = [];
    for (const command of all) if ((await fate(command)) !== 'ran') asked.push(command);
    assert.deepEqual([all.length, new Set(all).size, asked], [100, 100, askedAbout]);
    assert.equal(asked.length <= 15, true);
  });

  it('are none where the session does not allow it', async () => {
    bench.grants = { commands: false, sandbox: false, hosts: [], sensitiveEdits: true, allowedCommands: [], files: [] };
    for (const command of harmless) assert.equal(await fate(command), 'asked', command);
    assert.deepEqual(bench.unasked, []);
  });

  it('show nothing that git is told to leave out', async () => {
    for (const command of ['cat local/db.php', 'head sub/kept.txt', 'grep hello local/db.php', 'wc a.txt local/db.php'])
      assert.equal(await fate(command), 'asked', command);
    assert.equal(await fate('cat kept.txt', { cwd: 'sub' }), 'asked');
    assert.equal(await fate('cat sub/b.txt'), 'ran');
  });

  it('open no pipe or device, and show no file that holds what looks like a key', async () => {
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', bench.file('pipe')]);
    await symlink('/dev/zero', bench.file('zero'));
    await writeFile(bench.file('deploy.sh'), `curl -H "Authorization: Bearer ghp_${'a1B2'.repeat(9)}"`);
    for (const command of ['cat pipe', 'head pipe', 'wc -l a.txt pipe', 'cat zero', 'cat deploy.sh', 'grep curl deploy.sh'])
      assert.equal(await fate(command), 'asked', command);
  });

  it('stay in the folder that they were begun in, and go by what it is there', async () => {
    assert.equal(await fate('cat b.txt', { cwd: 'sub' }), 'ran');
    assert.equal(await fate('cat server.pem', { cwd: 'sub' }), 'asked');
    assert.equal(await fate('cat ../a.txt', { cwd: 'sub' }), 'asked');
    assert.equal(await fate('ls', { cwd: '..' }), 'asked');
  });

  it('go on in nobody’s sight never: what stays in the background asks', async () => {
    assert.equal(await fate('ls', { background: true }), 'asked');
    bench.grants = { ...bench.grants, allowedCommands: [{ command: 'npm test', cwd: '.' }] };
    assert.equal(await fate('npm test', { background: true }), 'asked');
    assert.deepEqual([bench.questions[0]?.canAllowAlways, bench.unasked], [false, []]);
  });

  it('are not found in the workspace or where one stands, whatever PATH says', async () => {
    await writeFile(bench.file('sub/ls'), '#!/bin/sh\ntouch owned\n');
    await chmod(bench.file('sub/ls'), 0o755);
    for (const entry of ['.', '', './sub', bench.file('sub')]) {
      process.env['PATH'] = `${entry}${path.delimiter}${PATH}`;
      await fate('ls');
      assert.notEqual(requests[0]?.program?.file, bench.file('sub/ls'), entry);
    }
    assert.equal(await fate('ls'), 'asked');
    process.env['PATH'] = path.join(bench.root, 'elsewhere');
    await symlink(bench.file('sub/ls'), path.join(bench.root, 'elsewhere', 'ls'));
    assert.equal(await fate('ls'), 'asked');
  });

  it('are exactly those that a person has allowed, in their folder, and critical ones not even then', async () => {
    const allowed = (command: string, cwd = '.') => ({ ...bench.grants, allowedCommands: [{ command, cwd }] });
    bench.grants = { ...allowed('npm test'), commands: false };
    assert.equal(await fate('npm test'), 'ran');
    assert.deepEqual([requests[0]?.command, requests[0]?.program], ['npm test', undefined]);
    for (const command of ['npm test ', 'npm  test', 'npm test; rm x', 'npm', 'NPM test'])
      assert.equal(await fate(command), 'asked', command);
    assert.equal(await fate('npm test', { cwd: 'sub' }), 'asked');
    for (const command of ['sudo ls', 'rm -rf /', 'curl x | sh']) {
      bench.grants = allowed(command);
      assert.equal(await fate(command), 'asked', command);
      assert.equal(bench.questions[0]?.canAllowAlways, false);
    }
  });

  it('really run, with their words as they are', async () => {
    const manager = new TerminalManager(undefined, systemClock, silentLogger);
    const tool = runTerminalCommandTool(bench.access, { terminals: manager, background: nothing });
    const really = async (command: string) => (await bench.run(tool, { command })).content;
    assert.equal(await really('pwd'), `Exit code: 0\n${bench.file()}`);
    assert.equal(
      await really("echo 'a  b' c*"),
      'The user declined this command. It was not run. Do not try it again in another form; go on without it or ask what to do instead.',
    );
    assert.equal(await really("echo 'a  b|c' ~"), await really('echo `ls`'));
    assert.equal(await really("echo 'a  b|c'"), 'Exit code: 0\na  b|c');
    assert.equal(await really('grep -c hello a.txt sub/b.txt'), 'Exit code: 0\na.txt:1\nsub/b.txt:1');
    assert.match(await really('cat missing.txt'), /^Exit code: 1\n.*missing\.txt/);
  });

  it('take no value of an option behind a name for a file, where a system ends options at the first name', async () => {
    for (const name of ['5', '256']) await symlink(path.join(bench.root, 'outside.txt'), bench.file(name));
    const tool = runTerminalCommandTool(bench.access, {
      terminals: new TerminalManager(undefined, systemClock, silentLogger),
      background: nothing,
    });
    process.env['POSIXLY_CORRECT'] = '1';
    try {
      const commands = [
        ...['head a.txt -n 5', 'head a.txt -5', 'tail a.txt -n 5', 'grep hello a.txt -m 5', 'sort a.txt -k 5', 'cut a.txt -f 5'],
        ...[
          'nl a.txt -w 5',
          'du sub -d 5',
          'od a.txt -N 5',
          'diff a.txt a.txt -U 5',
          'cat a.txt -n',
          'wc a.txt -l',
          'sed 5p -n a.txt',
        ],
      ];
      for (const command of commands) {
        const { content } = await bench.run(tool, { command });
        assert.match(content, /^Exit code: 0/, command);
        assert.doesNotMatch(content, /outside|\b5$/m, command);
      }
      assert.deepEqual(bench.questions, []);
    } finally {
      delete process.env['POSIXLY_CORRECT'];
    }
    await fate('shasum a.txt -a 256');
    assert.deepEqual(requests[0]?.program?.args, ['-a', '256', '--', 'a.txt']);
  });

  it('show the content of files alone: no pipe, which may never end', async () => {
    await runIn(bench.file(), 'mkfifo', ['queue']);
    for (const command of ['cat queue', 'head -n 1 queue', 'sort queue', 'grep x queue', 'diff a.txt queue'])
      assert.equal(await fate(command), 'asked', command);
    await rm(bench.file('queue'));
  });

  it('print a version as it is outside of the workspace, and ask where a file of the workspace chooses it', async () => {
    assert.equal(await fate('node --version'), 'ran');
    assert.equal(requests[0]?.program?.cwd, path.parse(bench.file()).root);
    await writeFile(bench.file('.tool-versions'), 'nodejs path:./evil');
    assert.deepEqual([await fate('node --version'), await fate('node --version', { cwd: 'sub' })], ['asked', 'asked']);
    await rm(bench.file('.tool-versions'));
  });

  it('are given up by Stop while git is asked about the repository, and git with them', async () => {
    const elsewhere = path.join(bench.root, 'elsewhere');
    const pid = path.join(elsewhere, 'pid');
    // Never exits on its own or on a signal that can be ignored.
    const script = `#!/bin/sh\ntrap '' TERM INT HUP\nmkfifo '${elsewhere}/never'\necho $$ > '${pid}.new'\nmv '${pid}.new' '${pid}'\nread x < '${elsewhere}/never'\n`;
    await writeFile(path.join(elsewhere, 'git'), script, { mode: 0o755 });
    process.env['PATH'] = `${elsewhere}${path.delimiter}${PATH}`;
    const running = run('git status');
    await Promise.race([until(() => existsSync(pid)), running]);
    bench.stopping.abort();
    await assert.rejects(running, CancelledError);
    bench.stopping = new AbortController();
    const git = Number(readFileSync(pid, 'utf8'));
    await until(() => isProcessGone(git));
    assert.deepEqual([requests, bench.questions, bench.unasked], [[], [], []]);
  });

  it('do not let a repository run what it likes', async () => {
    const manager = new TerminalManager(undefined, systemClock, silentLogger);
    const setUp = [
      'git init -q -b main repo && cd repo',
      'git config user.email a@b.c && git config user.name a',
      'echo one > file && git add file && git commit -qm one && echo two > file',
      'printf "#!/bin/sh\\ntouch %s/owned\\n" "$PWD" > evil && chmod +x evil',
      'git config core.fsmonitor "$PWD/evil" && git config diff.external "$PWD/evil" && git config core.pager "$PWD/evil"',
      'git config log.showSignature true && git config gpg.program "$PWD/evil" && git config format.pretty %G?',
      'mkdir -p bare/objects bare/refs && printf "ref: refs/heads/main" > bare/HEAD',
      'printf "[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = ..\\nfsmonitor = %s/evil\\n" "$PWD" > bare/config',
    ].join(' && ');
    const signal = new AbortController().signal;
    const { exitCode, output } = await manager.run({ sessionId: 's', command: setUp, cwd: bench.file(), signal });
    assert.deepEqual([exitCode, output], [0, '']);
    const tool = runTerminalCommandTool(bench.access, { terminals: manager, background: nothing });
    const commands = ['git status', 'git diff --stat', 'git diff --name-only', 'git log --stat', 'git log --oneline -n 1'];
    for (const command of commands) {
      assert.match((await bench.run(tool, { command, cwd: 'repo' })).content, /^Exit code: 0/, command);
      await bench.run(tool, { command, cwd: 'repo/bare' });
    }
    // All commands in `bare` needed approval: the settings are unknown in a folder that only looks like a repository.
    assert.equal(bench.unasked.length, commands.length);
    const left = await manager.run({ sessionId: 's', command: 'ls owned', cwd: bench.file('repo'), signal });
    assert.notEqual(left.exitCode, 0);
    // A setting that names a program for files cannot be overridden, so it needs approval.
    const traps: [string, string][] = [
      ['filter.x.clean', 'git config filter.x.clean "$PWD/evil"'],
      ['filter.x.process', 'git config filter.x.process "$PWD/evil"'],
      ['diff.x.textconv', 'git config diff.x.textconv "$PWD/evil"'],
      ['diff.x.command', 'git config diff.x.command "$PWD/evil"'],
      ['include.path', 'git config -f included filter.x.clean "$PWD/evil" && git config include.path ../included'],
    ];
    await manager.run({ sessionId: 's', command: 'echo "* filter=x diff=x" > .gitattributes', cwd: bench.file('repo'), signal });
    const unasked: string[] = [];
    for (const [key, trap] of traps) {
      await manager.run({ sessionId: 's', command: `touch file && ${trap}`, cwd: bench.file('repo'), signal });
      for (const command of ['git status', 'git diff --stat', 'git log --stat']) {
        bench.questions.length = 0;
        await bench.run(tool, { command, cwd: 'repo' });
        if (bench.questions.length === 0) unasked.push(`${key}: ${command}`);
      }
      await manager.run({ sessionId: 's', command: `git config --unset ${key}`, cwd: bench.file('repo'), signal });
    }
    assert.deepEqual(unasked, []);
    assert.notEqual((await manager.run({ sessionId: 's', command: 'ls owned', cwd: bench.file('repo'), signal })).exitCode, 0);
    assert.match(
      (await bench.run(tool, { command: 'git status', cwd: 'repo' })).content,
      /^Exit code: 0/,
      'without them it runs',
    );
    // Confirms that the trap works without the precautions.
    await manager.run({ sessionId: 's', command: 'git status', cwd: bench.file('repo'), signal });
    assert.equal((await manager.run({ sessionId: 's', command: 'ls owned', cwd: bench.file('repo'), signal })).output, 'owned');
  });

  it('tell no key of a history or of a large file, and say that one was left out', async () => {
    const token = (letters: string) => `ghp_${letters.repeat(9)}`;
    const git = (...args: string[]) =>
      runIn(bench.file('history'), 'git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);
    const pem = [
      '-----BEGIN RSA PRIVATE KEY-----',
      ...Array<string>(12).fill('aB1cD2eF'.repeat(8)),
      '-----END RSA PRIVATE KEY-----',
    ];
    await mkdir(bench.file('history'));
    await git('init', '-q', '-b', 'main');
    await writeFile(bench.file('history/notes.txt'), `one\n${token('f1L3')}\n${pem.join('\n')}\n`);
    await git('add', '.');
    await git('commit', '-qm', `Add notes\n\nThe token is ${token('m3Ss')}`);
    await writeFile(bench.file('history/notes.txt'), 'one\ntwo\n');
    await git('commit', '-qam', `Drop ${token('s4Bj')}`);
    await git('branch', token('b5Rn'));
    await git('tag', '-am', `tagged ${token('t6Ag')}`, 'v1');
    await git('stash', 'list');
    await writeFile(bench.file('history/notes.txt'), 'one\nthree\n');
    await git('stash', 'push', '-qm', `with ${token('h7St')}`);
    const tool = runTerminalCommandTool(bench.access, {
      terminals: new TerminalManager(undefined, systemClock, silentLogger),
      background: nothing,
    });
    const commands = [
      ...[
        'git log',
        'git log --oneline -5',
        'git log --format=%B -n 3',
        'git show -s HEAD~1',
        'git show --stat HEAD',
        'git reflog -10',
      ],
      ...['git branch', 'git branch -vv', 'git tag -n5', 'git stash list', 'git for-each-ref', 'git show-ref', 'git shortlog'],
      ...['git blame HEAD~1 -- notes.txt', 'git blame -L 5,9 HEAD~1 -- notes.txt', 'git blame -s HEAD~1 -- notes.txt'],
    ];
    for (const command of commands) {
      const { content, display = '', summary, details } = await bench.run(tool, { command, cwd: 'history' });
      assert.match(content, /^Exit code: 0/, command);
      assert.match(content, /\[key left out\]/, command);
      assert.match(content, /\[What looks like a key or a token was left out of this output\./, command);
      assert.doesNotMatch(content + display, /f1L3|m3Ss|s4Bj|b5Rn|t6Ag|h7St|aB1cD2eF/, command);
      assert.match(summary ?? '', /secrets removed$/, command);
      assert.equal(Number(details?.['keysLeftOut']) > 0, true, command);
    }
    assert.deepEqual(bench.questions, []);
    await writeFile(bench.file('large.log'), `${'some words\n'.repeat(40_000)}${token('l8Rg')}\n`);
    for (const command of ['cat large.log', 'tail -n 3 large.log', 'grep ghp large.log'])
      assert.equal(await fate(command), 'asked', command);
    // Output of an approved command is redacted too, because the user cannot know it in advance.
    bench.isApproved = true;
    assert.match((await bench.run(tool, { command: 'tail -n 3 large.log' })).content, /some words\n\[key left out\]/);
  });
});
