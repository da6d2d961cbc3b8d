import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runTerminalCommandTool } from '../../../src/agent/tools/command/runTerminalCommand';
import { isHarmlessSetting } from '../../../src/services/terminal/judge/harmlessSettings';
import { gitOverrides, readOnlyEnvironment } from '../../../src/services/terminal/judge/plainProgram';
import { TerminalManager } from '../../../src/services/terminal/run/terminalManager';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { ToolBench } from '../agent/support/toolBench';
import { runIn } from './support/realGit';

const nothing = {
  start: () => Promise.reject(new Error('not in the background')),
  running: () => [],
  whenEnded: async () => undefined,
};

describe('git without a question', () => {
  let bench: ToolBench;
  let canary: string;
  let evil: string;
  const saved = { PATH: process.env['PATH'], HOME: process.env['HOME'], XDG: process.env['XDG_CONFIG_HOME'] };
  const git = (...args: string[]) => runIn(bench.file(), 'git', args);

  beforeEach(async () => {
    bench = await ToolBench.start();
    bench.isApproved = false;
    bench.grants = { commands: true, sandbox: false, hosts: [], sensitiveEdits: false, allowedCommands: [], files: [] };
    canary = path.join(bench.root, 'canary');
    evil = bench.file('evil');
    const home = path.join(bench.root, 'home');
    const programs = path.join(bench.root, 'programs');
    for (const folder of [home, programs]) await mkdir(folder);
    Object.assign(process.env, { HOME: home, XDG_CONFIG_HOME: home, PATH: `${programs}${path.delimiter}${saved.PATH}` });
    // Fake git-lfs that runs the extension from the repository's settings, as the real program does.
    await writeFile(
      path.join(programs, 'git-lfs'),
      '#!/bin/sh\nextension=$(git config --get-regexp "^lfs.extension.*.clean" | cut -d" " -f2-)\n[ -z "$extension" ] || sh -c "$extension"\ncat\n',
      { mode: 0o755 },
    );
    await writeFile(evil, `#!/bin/sh\ntouch ${canary}\ncat\n`, { mode: 0o755 });
    await writeFile(
      path.join(home, '.gitconfig'),
      '[user]\n\tname = a\n\temail = a@b.c\n[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\trequired = true\n',
    );
    await git('init', '-q', '-b', 'main');
    await writeFile(bench.file('.gitattributes'), '*.bin filter=lfs\n*.odd filter=odd\n');
    await writeFile(bench.file('a.bin'), 'one\n');
    await writeFile(bench.file('a.odd'), 'one\n');
    await git('add', 'a.bin', 'a.odd', '.gitattributes');
    await git('commit', '-qm', 'one');
    await change();
  });
  afterEach(async () => {
    for (const [key, value] of Object.entries({ PATH: saved.PATH, HOME: saved.HOME, XDG_CONFIG_HOME: saved.XDG }))
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
    await bench.stop();
  });

  /** Makes Git read the files again, because their size is the same but their modification time differs. */
  async function change(): Promise<void> {
    for (const name of ['a.bin', 'a.odd']) {
      await writeFile(bench.file(name), 'two\n');
      await utimes(bench.file(name), new Date(0), new Date(0));
    }
  }

  async function really(command: string): Promise<string> {
    const tool = runTerminalCommandTool(bench.access, {
      terminals: new TerminalManager(undefined, systemClock, silentLogger),
      background: nothing,
    });
    bench.questions.length = 0;
    const { content } = await bench.run(tool, { command });
    return bench.questions.length > 0 ? 'asked' : content;
  }

  const comparing = ['git status', 'git diff --stat', 'git diff --name-only HEAD'];

  it('runs git-lfs as it is installed, and asks once the repository steers it', async () => {
    for (const command of comparing) assert.match(await really(command), /^Exit code: 0/, command);
    const steering = [
      ['lfs.extension.x.clean', evil],
      ['lfs.customtransfer.x.path', evil],
      ['lfs.standalonetransferagent', 'x'],
      ['lfs.https://x.example/.access', 'basic', 'runs'],
      ['annex.version', '10'],
      ['remote.origin.uploadpack', evil],
      ['core.attributesfile', 'x'],
      ['core.worktree', '..'],
      ['core.alternaterefscommand', evil],
      ['include.path', '../included'],
      ['includeif.onbranch:main.path', '../included'],
      ['merge.x.driver', evil],
      ['unheardof.key', 'x'],
      ['pretty.oneline', '%G?'],
    ] as const;
    for (const [key, value, fate = 'asked'] of steering) {
      await git('config', key, value);
      await change();
      for (const command of comparing)
        assert.equal((await really(command)) === 'asked' ? 'asked' : 'runs', fate, `${key}: ${command}`);
      await git('config', '--unset', key);
    }
    assert.equal(existsSync(canary), false);
    // Confirms that the trap works if the settings are not checked.
    await git('config', 'lfs.extension.x.clean', evil);
    await change();
    await git('status');
    assert.equal(existsSync(canary), true);
  });

  it('asks about settings of the work tree', async () => {
    await git('config', 'extensions.worktreeConfig', 'true');
    await git('config', '--worktree', 'core.sparseCheckout', 'false');
    assert.match(await really('git status'), /^Exit code: 0/);
    await git('config', '--worktree', 'lfs.extension.x.clean', evil);
    assert.equal(await really('git status'), 'asked');
    assert.equal(existsSync(canary), false);
  });

  it('asks where another filter is in force anywhere, but only what compares files', async () => {
    await git('config', '--global', 'filter.odd.clean', './evil');
    await change();
    for (const command of [...comparing, 'git ls-files -m', 'git blame a.bin'])
      assert.equal(await really(command), 'asked', command);
    for (const command of ['git log --stat', 'git branch', 'git show --stat', 'git rev-parse HEAD'])
      assert.match(await really(command), /^Exit code: 0/, command);
    await git('config', '--global', '--unset', 'filter.odd.clean');
    await git('config', '--global', 'filter.lfs.clean', 'git-lfs clean -- %f; ./evil');
    assert.equal(await really('git status'), 'asked');
    assert.equal(existsSync(canary), false);
  });

  it('asks before git would run in a submodule, by the settings of that', async () => {
    // The other files must be clean, because Git stops at the first file that differs.
    await git('checkout', '-q', '.');
    const sub = bench.file('sub');
    await mkdir(sub);
    const inside = (...args: string[]) => runIn(sub, 'git', args);
    await inside('init', '-q', '-b', 'main');
    await writeFile(path.join(sub, 'f'), 'one\n');
    await inside('add', 'f');
    await inside('commit', '-qm', 'one');
    await git('add', 'sub');
    await git('commit', '-qm', 'two');
    await inside('config', 'filter.x.clean', evil);
    await writeFile(path.join(sub, '.git', 'info', 'attributes'), '* filter=x\n');
    for (const command of ['git describe --always --dirty', 'git describe --always', ...comparing]) {
      await writeFile(path.join(sub, 'f'), 'two\n');
      await utimes(path.join(sub, 'f'), new Date(0), new Date(0));
      assert.equal((await really(command)) === 'asked', command.endsWith('--dirty'), command);
      assert.equal(existsSync(canary), false, command);
    }
    await git('describe', '--always', '--dirty');
    assert.equal(existsSync(canary), true);
  });

  it('asks where git-lfs lies in the workspace', async () => {
    await rm(path.join(bench.root, 'programs', 'git-lfs'));
    await symlink(evil, path.join(bench.root, 'programs', 'git-lfs'));
    assert.equal(await really('git status'), 'asked');
    assert.match(await really('git log'), /^Exit code: 0/);
  });

  it('asks outside of a repository', async () => {
    await rm(bench.file('.git'), { recursive: true });
    await writeFile(bench.file('b.txt'), '');
    for (const command of ['git status', 'git diff --numstat a b', 'git diff --stat -- a.bin b.txt'])
      assert.equal(await really(command), 'asked', command);
  });

  it('shows addresses without a token in them only', async () => {
    await git('remote', 'add', 'origin', 'https://example.org/a.git');
    await git('remote', 'add', 'other', 'git@example.org:a/b.git');
    assert.match(await really('git remote -v'), /example\.org\/a\.git/);
    assert.match(await really('git remote get-url origin'), /example\.org/);
    for (const url of [
      'https://token@example.org/a',
      'https://u:secret@example.org/a',
      'https://example.org/a?private_token=x',
    ]) {
      await git('remote', 'set-url', 'origin', url);
      for (const command of ['git remote -v', 'git remote get-url origin']) assert.equal(await really(command), 'asked', url);
      assert.match(await really('git remote'), /^Exit code: 0/);
    }
    await git('remote', 'set-url', 'origin', 'https://example.org/a.git');
    await git('config', '--global', 'url.https://token@example.org/.insteadOf', 'https://example.org/');
    assert.equal(await really('git remote -v'), 'asked');
  });

  it('shows no content of a file by the name of its object', async () => {
    await writeFile(bench.file('.env'), 'SECRET\n');
    const object = (await git('hash-object', '-w', '.env')).trim();
    for (const command of [`git show --stat ${object}`, `git show -s ${object.slice(0, 8)}`, `git log --stat ${object}`])
      assert.doesNotMatch(await really(command), /SECRET/, command);
  });

  it('compares no two files, whatever they are called', async () => {
    await mkdir(bench.file('conf'));
    await writeFile(bench.file('conf/secret'), 'SECRET\n');
    await writeFile(bench.file('guess'), 'GUESS\n');
    assert.match(await really('git diff --numstat conf/secret guess'), /bad revision/);
  });

  it('takes what it is overruled by from a git that knows no variables for it', async () => {
    const old = path.join(bench.root, 'programs', 'git');
    const real = (await runIn(bench.root, 'sh', ['-c', 'command -v git'])).trim();
    await writeFile(
      old,
      `#!/bin/sh\nunset GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_NO_LAZY_FETCH\nexec '${real}' "$@"\n`,
      {
        mode: 0o755,
      },
    );
    await git('config', 'core.fsmonitor', evil);
    assert.match(await really('git status'), /^Exit code: 0/);
    assert.equal(existsSync(canary), false);
  });

  it('fetches nothing that a partial clone lacks, also by a git that knows no variable for it', async () => {
    const partial = path.join(bench.root, 'partial');
    await git('config', 'uploadpack.allowFilter', 'true');
    await git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    await runIn(bench.root, 'git', ['clone', '-q', '--no-checkout', '--filter=blob:none', `file://${bench.file()}`, partial]);
    await runIn(partial, 'git', ['config', 'remote.origin.uploadpack', `touch ${canary}; git-upload-pack`]);
    const env = readOnlyEnvironment();
    delete env['GIT_NO_LAZY_FETCH'];
    await assert.rejects(runIn(partial, 'git', [...gitOverrides(), 'cat-file', '-p', 'HEAD:a.bin'], env));
    assert.equal(existsSync(canary), false);
    await runIn(partial, 'git', ['cat-file', '-p', 'HEAD:a.bin']);
    assert.equal(existsSync(canary), true);
  });

  it('knows the settings of ordinary repositories, and no others', async () => {
    const ordinary = [
      ...['core.bare', 'core.hooksPath', 'remote.origin.url', 'remote.a.b.fetch', 'branch.main.remote', 'branch.x.y.merge'],
      ...['user.email', 'submodule.a/b.url', 'pull.rebase', 'lfs.repositoryformatversion', 'color.ui', 'gui.wmstate'],
    ];
    assert.deepEqual(
      ordinary.filter((key) => !isHarmlessSetting(key)),
      [],
    );
    const others = [
      ...[
        'core.sshcommand',
        'core.askpass',
        'credential.helper',
        'alias.x',
        'filter.x.clean',
        'diff.x.textconv',
        'diff.x.command',
      ],
      ...['merge.tool.cmd', 'remote.origin.vcs', 'remote.origin.promisor', 'extensions.partialclone', 'protocol.ext.allow'],
      ...[
        'submodule.x.update',
        'gpg.ssh.program',
        'http.proxy',
        'url.x.insteadof',
        'constructor',
        'constructor.x',
        '__proto__.x',
      ],
      ...['lfs.extension.x.access', 'lfs.url', 'mailmap.file', 'blame.ignorerevsfile', 'trailer.x.command', 'trace2.eventtarget'],
    ];
    assert.deepEqual(
      others.filter((key) => isHarmlessSetting(key)),
      [],
    );
  });
});
