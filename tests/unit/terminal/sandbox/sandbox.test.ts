import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, linkSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SandboxError } from '../../../../src/services/terminal/sandbox/sandboxPorts';
import { makeSandboxBench, type SandboxBench } from './support/sandboxBench';

// bubblewrap exists on Linux only. The policy for macOS is tested as text.
if (process.platform === 'linux') {
  describe('Commands in a sandbox', () => {
    let bench: SandboxBench;

    beforeEach(async () => {
      bench = await makeSandboxBench(['work/src/huge.bin']);
      await bench.write('work/.gitignore', 'node_modules/\ndata/\n*.sqlite\n.env\n');
      await bench.write('work/src/a.ts');
      await bench.write('work/src/huge.bin');
      await bench.write('work/data/kept.db');
      await bench.write('work/local.sqlite');
      await bench.write('work/node_modules/left/index.js');
      await bench.write('work/.env', 'TOKEN=planted');
      await bench.write('.ssh/id_ed25519', 'planted');
      await bench.write('.npmrc', 'planted');
      await bench.write('.config/gh/hosts.yml', 'planted');
      await bench.write('storage/main.db', 'planted');
      await bench.write('outside.txt', 'outside');
      bench.git('add', '.');
      bench.git('commit', '-qm', 'First');
    });
    afterEach(() => bench.dispose());

    it('are available where bwrap may make namespaces', async () => {
      assert.deepEqual(await bench.sandbox.probe(), { isAvailable: true });
    });

    it('change what a checkpoint covers, and what a build makes', async () => {
      const { exitCode, denials } = await bench.run(
        'echo b > src/b.ts; rm src/a.ts; rm -r node_modules/left; mkdir dist; echo x > /tmp/x',
      );
      assert.deepEqual([exitCode, denials], [0, []]);
      assert.ok(existsSync(join(bench.root, 'src/b.ts')) && existsSync(join(bench.root, 'dist')));
      assert.ok(!existsSync(join(bench.root, 'src/a.ts')) && !existsSync(join(bench.root, 'node_modules/left')));
      assert.equal((await bench.run('cat /tmp/x')).output, 'x\n');
    });

    it('cannot change what no checkpoint has, in the workspace and outside', async () => {
      const paths = ['data/kept.db', 'local.sqlite', 'src/huge.bin', '/etc/new', '/usr/bin/new'];
      for (const path of paths) assert.notEqual((await bench.run(`echo changed > ${path}`)).exitCode, 0, path);
      await bench.run('echo changed > ../outside.txt; echo changed > ~/new');
      await bench.run('rm -rf data local.sqlite src/huge.bin ../outside.txt ~ / 2>/dev/null');
      assert.equal(readFileSync(join(bench.root, 'data/kept.db'), 'utf8'), 'work/data/kept.db\n');
      assert.equal(readFileSync(join(bench.root, 'local.sqlite'), 'utf8'), 'work/local.sqlite\n');
      assert.equal(readFileSync(join(bench.root, 'src/huge.bin'), 'utf8'), 'work/src/huge.bin\n');
      assert.equal(readFileSync(join(bench.home, 'outside.txt'), 'utf8'), 'outside');
      assert.ok(!existsSync(join(bench.home, 'new')));
    });

    it('say what was read-only', async () => {
      const { denials } = await bench.run('touch /etc/new');
      assert.deepEqual(denials, [{ kind: 'write', target: '/etc/new' }]);
    });

    it('see files outside that are not secret', async () => {
      assert.equal((await bench.run('cat ~/outside.txt')).output, 'outside');
    });

    it('write in copies of the package caches of their tools, and after a denial of others too', async () => {
      const own = await bench.write('.m2/repository/own.jar', 'own');
      const write = 'echo changed > ~/.m2/repository/own.jar && cat ~/.m2/repository/own.jar';
      const denied = await bench.run(write);
      assert.deepEqual([denied.exitCode, denied.denials], [1, [{ kind: 'write', target: own }]], denied.output);
      const again = await bench.run(write);
      assert.deepEqual([again.exitCode, again.output], [0, 'changed\n']);
      const store = await bench.write('.nuget/packages/own', 'own');
      const named = await bench.run(': dotnet restore; cd ~/.nuget/packages && cat own && echo changed > own && cat own');
      assert.deepEqual([named.exitCode, named.output], [0, 'ownchanged\n']);
      assert.deepEqual([readFileSync(own, 'utf8'), readFileSync(store, 'utf8')], ['own', 'own']);
    });

    it('see no secrets', async () => {
      for (const path of ['.dbt/profiles.yml', '.config/NuGet/NuGet.Config', '.local/share/opencode/auth.json', '.Xauthority'])
        await bench.write(path, 'planted');
      await bench.write('.nuget/packages/a/license.txt', 'package');
      const { output } = await bench.run(
        'cat .env ~/.ssh/* ~/.npmrc ~/.config/gh/* ~/storage/*; grep -rs planted ~ | head; cat ~/.nuget/packages/a/license.txt',
      );
      assert.doesNotMatch(output, /planted/);
      assert.match(output, /package/);
    });

    it('see what the user denied to read no more, and write where the user allowed it', async () => {
      await bench.write('notes/diary.txt', 'planted');
      await bench.write('shared/old.txt', 'old');
      bench.config = Object.assign(bench.config, { readDenied: ['~/notes'], writablePaths: ['~/shared'] });
      const { output } = await bench.run('cat ~/notes/*; echo new > ~/shared/new.txt');
      assert.doesNotMatch(output, /planted/);
      assert.equal(readFileSync(join(bench.home, 'shared/new.txt'), 'utf8'), 'new\n');
    });

    it('get no variables with secrets, and none that lead to agents', async () => {
      process.env['SOME_API_KEY'] = 'planted';
      process.env['SSH_AUTH_SOCK'] = '/tmp/planted';
      try {
        const { output } = await bench.run('env');
        assert.doesNotMatch(output, /planted/);
        assert.match(output, /^PATH=/m);
      } finally {
        delete process.env['SOME_API_KEY'];
        delete process.env['SSH_AUTH_SOCK'];
      }
    });

    it('reach no server of this machine, but their own', async () => {
      const server = await listen();
      const { port } = server.address() as AddressInfo;
      const own = `node -e "const s=require('http').createServer((q,a)=>a.end('own')).listen(0,'127.0.0.1',async()=>{console.log(await (await fetch('http://127.0.0.1:'+s.address().port)).text());process.exit()})"`;
      try {
        const { exitCode } = await bench.run(
          `node -e "fetch('http://127.0.0.1:${port}').then(()=>process.exit(0),()=>process.exit(7))"`,
        );
        assert.equal(exitCode, 7);
        assert.match((await bench.run(own)).output, /own/);
      } finally {
        server.close();
      }
    });

    it('name the host that they could not reach', async () => {
      const { denials } = await bench.run(
        `node -e "fetch('https://files.example.org').catch((e)=>{console.error(e.cause);process.exit(1)})"`,
      );
      assert.deepEqual(denials, [{ kind: 'network', target: 'files.example.org' }]);
    });

    it('reach an allowed host through a proxy, and only that', async () => {
      const server = await listen();
      const { port } = server.address() as AddressInfo;
      const ask = (host: string) =>
        `node -e "const q=require('http').request({host:'127.0.0.1',port:3128,path:'http://${host}:${port}/',agent:false,headers:{host:'${host}'}},a=>a.pipe(process.stdout).on('finish',()=>0));q.on('response',a=>process.exitCode=a.statusCode===200?0:5);q.end()"`;
      try {
        const allowed = await bench.run(ask('127.0.0.1'), ['127.0.0.1']);
        assert.match(allowed.output, /from outside/);
        const other = await bench.run(ask('other.example.org'), ['127.0.0.1']);
        assert.deepEqual([other.exitCode, other.denials], [5, [{ kind: 'network', target: 'other.example.org' }]]);
      } finally {
        server.close();
      }
    });

    it('commit and make branches, but change no hook and no setting that runs programs', async () => {
      bench.git('remote', 'add', 'origin', 'https://example.org/a.git');
      const everyday = await bench.run(
        'git checkout -qb topic && echo c > c.txt && git add c.txt && git commit -qm C && git log --oneline',
      );
      assert.deepEqual([everyday.exitCode, everyday.reverted], [0, []]);
      await bench.run('git config branch.topic.remote origin; git config branch.topic.merge refs/heads/topic');
      assert.match(bench.git('config', '--list', '--local'), /branch\.topic\.remote=origin/);
      const before = readFileSync(join(bench.root, '.git/config'), 'utf8');
      const hostile = await bench.run(
        'git config core.fsmonitor "touch ~/x"; echo "touch ~/x" > .git/hooks/pre-commit; chmod +x .git/hooks/*',
      );
      assert.deepEqual(hostile.reverted, ['.git/config']);
      assert.equal(readFileSync(join(bench.root, '.git/config'), 'utf8'), before);
      assert.ok(!existsSync(join(bench.root, '.git/hooks/pre-commit')));
    });

    it('cannot put another repository in the place of one, and a new one runs nothing', async () => {
      await bench.run('mv .git old; mkdir .git; mv .git/config .git/other; echo');
      assert.equal(bench.git('config', 'user.name').trim(), 'Ann');
      const { reverted } = await bench.run(
        'mkdir sub && cd sub && git init -q && git config core.fsmonitor "touch ~/x" && printf "#!/bin/sh\\n" > .git/hooks/pre-commit',
      );
      assert.deepEqual(reverted, ['sub/.git/config', 'sub/.git/hooks/pre-commit']);
      assert.doesNotMatch(readFileSync(join(bench.root, 'sub/.git/config'), 'utf8'), /fsmonitor/);
    });

    it('cannot write settings of the editor, whether these exist or not', async () => {
      assert.notEqual((await bench.run('mkdir -p .vscode; echo "{}" > .vscode/tasks.json')).exitCode, 0);
      assert.ok(!existsSync(join(bench.root, '.vscode')));
      await bench.write('work/.vscode/settings.json', '{}');
      assert.notEqual((await bench.run('echo "{ }" > .vscode/settings.json')).exitCode, 0);
    });

    it('change what an earlier command made and no checkpoint has, but not what was there or was changed since', async () => {
      await bench.write('work/.gitignore', 'node_modules/\ndata/\n*.sqlite\n.env\n*.pc\nmade/\n');
      await bench.run('echo 1 > own.pc; mkdir made; echo 1 > made/a; echo 1 > other.pc');
      assert.equal((await bench.run('echo 2 > own.pc; echo 2 > made/a')).exitCode, 0);
      await bench.write('work/other.pc', 'mine');
      await bench.write('work/made/b', 'mine');
      const { exitCode } = await bench.run('rm own.pc && ! rm other.pc && ! rm made/b && ! rm data/kept.db');
      assert.equal(exitCode, 0);
      assert.equal(readFileSync(join(bench.root, 'other.pc'), 'utf8'), 'mine');
    });

    it('remove a link that an earlier command made and no checkpoint has, but not one that was there', async () => {
      await bench.write('work/.gitignore', '*.pc\n');
      symlinkSync('src', join(bench.root, 'old.pc'));
      await bench.run('echo 1 > lib.pc.1; ln -s lib.pc.1 lib.pc');
      const { exitCode, reverted } = await bench.run('rm -f lib.pc old.pc');
      assert.deepEqual([exitCode, reverted], [0, ['old.pc']]);
      assert.deepEqual(
        ['lib.pc', 'old.pc'].map((name) => lstatSync(join(bench.root, name), { throwIfNoEntry: false }) !== undefined),
        [false, true],
      );
    });

    it('do not ask a registry again and again without network', async () => {
      const { exitCode, output } = await bench.run('npm view left-pad; echo $PIP_RETRIES $CARGO_NET_RETRY');
      assert.equal(exitCode, 0);
      assert.match(output, /EAI_AGAIN|ENOTFOUND|ENETUNREACH/);
      assert.match(output, /^0 0$/m);
    });

    it('cannot make an old file changeable by ignoring or moving it', async () => {
      await bench.write('work/notes.txt', 'mine');
      await bench.write('work/plan.txt', 'mine');
      await bench.run('echo "*.txt" >> .gitignore; echo "*.old" >> .gitignore; mkdir kept.old; mv plan.txt kept.old/');
      await bench.run('rm -rf notes.txt kept.old');
      assert.equal(readFileSync(join(bench.root, 'notes.txt'), 'utf8'), 'mine');
      assert.equal(readFileSync(join(bench.root, 'kept.old/plan.txt'), 'utf8'), 'mine');
    });

    it('change packages of pnpm that are copies, not those that are links to its store', async () => {
      const packages = ['linked', 'copied'].map((name) => `work/${name}/node_modules/.pnpm/${name}@1/node_modules/${name}`);
      for (const folder of packages) await bench.write(`${folder}/package.json`, '{}');
      linkSync(join(bench.home, packages[0] ?? '', 'package.json'), join(bench.home, 'store.json'));
      const add = (name: string) => bench.run(`touch ${name}/node_modules/.pnpm/lock.yaml`);
      assert.deepEqual([(await add('linked')).exitCode, (await add('copied')).exitCode], [1, 0]);
    });

    it('follow a link out of the workspace only to read', async () => {
      symlinkSync(bench.home, join(bench.root, 'out'));
      await bench.run('echo x > out/outside.txt');
      assert.equal(readFileSync(join(bench.home, 'outside.txt'), 'utf8'), 'outside');
    });

    it('leave no process', async () => {
      const duration = `4${process.pid}`;
      await bench.run(
        `(setsid nohup sleep ${duration} >/dev/null 2>&1 &) ; sleep ${duration} >/dev/null 2>&1 & disown; echo started`,
      );
      const all = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
      assert.deepEqual(
        all.filter((line) => line.startsWith(`sleep ${duration}`)),
        [],
      );
    });

    it('are also programs that answer on their output, with the variables that they were given', async () => {
      const script =
        'read line; echo problem >&2; echo $line $GIVEN_TOKEN $(cat ~/.npmrc) $(touch ~/new 2>/dev/null || echo denied)';
      const wrapped = await bench.sandbox.wrapProgram({
        program: { file: 'sh', args: ['-c', script], env: { PATH: process.env['PATH'], HOME: bench.home, GIVEN_TOKEN: 'given' } },
        cwd: bench.root,
        hosts: [],
        signal: new AbortController().signal,
      });
      const { file, args, env } = wrapped.program;
      const { stdout, stderr } = spawnSync(file, args, { env, input: 'asked\n', encoding: 'utf8' });
      await wrapped.finish({ exitCode: 0, output: '' });
      assert.deepEqual([stdout, stderr], ['asked given denied\n', 'problem\n']);
      assert.ok(!existsSync(join(bench.home, 'new')));
    });

    it('do not run in a folder that no checkpoint covers', async () => {
      const request = { sessionId: 's', command: 'true', cwd: bench.home, hosts: [], signal: new AbortController().signal };
      await assert.rejects(bench.sandbox.wrap(request), SandboxError);
    });
  });
}

function listen(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((_, answer) => answer.end('from outside'));
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
