import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { hold } from '../../../support/ollama/doubleReply';
import { readText, repository } from '../manifest';
import { until } from '../../../support/until';
import { PackagedCommand, type Ended } from './packagedCommand';

const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
const command = (text: string) => call('run_terminal_command', { command: text });
const script = path.join(repository, 'docs/examples/agent-task.sh');

// The script needs a POSIX shell, and bubblewrap is only available on Linux.
if (process.platform === 'linux')
  describe('a task without a user, by the packaged command', () => {
    let bench: PackagedCommand;
    beforeEach(async () => {
      bench = await PackagedCommand.start();
    });
    afterEach(() => bench.stop());

    const result = (name: string) => path.join(bench.home, 'agent-task', name);
    const task = (more: Record<string, string> = {}): Promise<Ended> =>
      bench.program('sh', [script], { TASK: 'Make it new', MODEL: 'worker', OLLAMA_HOST: bench.double.url, ...more }).ended;

    it('writes a patch of its changes and ends with 0', async () => {
      bench.double.script.push(
        call('replace_in_file', { path: 'main.txt', oldText: 'old', newText: 'new' }),
        command('mkdir -p made ignored && echo made > made/by-command.txt && cp main.txt ignored/'),
        command('git add -A && git -c user.name=A -c user.email=a@example.com commit -qm Agent'),
        call('create_file', { path: 'last.txt', content: 'last\n' }),
        'It is new. [TASK_COMPLETE]',
      );
      const { code, err } = await task();
      assert.deepEqual([code, err], [0, ''], await readFile(result('run.log'), 'utf8'));
      assert.match(await readFile(result('answer.md'), 'utf8'), /^It is new\.\s*$/);
      const patch = await readFile(result('agent.patch'), 'utf8');
      const files = [...patch.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name);
      assert.deepEqual(files, ['last.txt', 'made/by-command.txt', 'main.txt']);
      await bench.git('reset', '-q', '--hard', 'HEAD~1');
      await bench.git('clean', '-qfd');
      await bench.git('apply', result('agent.patch'));
      assert.equal(await readFile(bench.file('main.txt'), 'utf8'), 'new\n');
      assert.equal(existsSync(path.join(bench.home, '.ollama-copilot/api.json')), false);
    });

    it('ends with 3 when a command was refused, and still writes the patch', async () => {
      bench.double.script.push(
        call('create_file', { path: 'made.txt', content: 'made\n' }),
        command('rm -rf ~'),
        'Not all. [TASK_COMPLETE]',
      );
      const { code } = await task();
      assert.equal(code, 3, await readFile(result('run.log'), 'utf8'));
      assert.match(await readFile(result('agent.patch'), 'utf8'), /^\+made$/m);
      assert.match(await readFile(result('run.log'), 'utf8'), /rm -rf ~[^]*Refused/);
    });

    it('ends with 4 when its time is over, and with 1 when there is no server', async () => {
      const held = hold();
      bench.double.script.push([held.step, 'Never.']);
      assert.equal((await task({ TIMEOUT: '3s' })).code, 4);
      held.release();
      assert.equal(await readFile(result('agent.patch'), 'utf8'), '');
      assert.equal((await task({ OLLAMA_HOST: 'http://127.0.0.1:9' })).code, 1);
    });

    it('is what the sample workflow runs', () => {
      const { jobs } = parse(readText('docs/examples/agent-task.yml')) as {
        jobs: { agent: { steps: { uses?: string; run?: string; env?: Record<string, string> }[] } };
      };
      const { steps } = jobs.agent;
      const used = steps.flatMap(({ uses }) => uses ?? []);
      assert.deepEqual(used, ['actions/checkout@v5', 'actions/setup-node@v5', 'actions/upload-artifact@v4']);
      const { env = {} } = steps.find(({ run }) => run === 'sh agent-task.sh') ?? {};
      assert.deepEqual(Object.keys(env).sort(), ['MODEL', 'OUT', 'TASK']);
    });
  });

if (process.platform !== 'win32')
  describe('serve, by the packaged command', () => {
    let bench: PackagedCommand;
    beforeEach(async () => {
      bench = await PackagedCommand.start();
    });
    afterEach(() => bench.stop());

    for (const signal of ['SIGTERM', 'SIGKILL'] as const)
      it(`keeps all of a run that ${signal} ended, shows it as interrupted after a restart, and continues it`, async () => {
        const held = hold();
        bench.double.script.push(call('create_file', { path: 'made.txt', content: 'made\n' }), ['Half of ', held.step, 'Never.']);
        const first = await bench.serve();
        const running = bench.cli('run', '--approve', 'edit', 'Make it');
        await until(() => existsSync(bench.file('made.txt')) && bench.double.requestsTo('/api/chat').length >= 2);
        await until(() => bench.stored().includes('Half of'));
        first.child.kill(signal);
        assert.equal((await first.ended).code, signal === 'SIGTERM' ? 0 : null);
        held.release();
        assert.ok(((await running.ended).code ?? 0) > 0);

        const second = await bench.serve();
        const [, id = ''] = /Interrupted: “Make it”\. Continue it with “ollama-copilot continue (\S+)”/.exec(second.err()) ?? [];
        assert.match((await bench.cli('sessions').ended).out, new RegExp(`^${id} .* Make it {2}\\(interrupted\\)\\n$`));
        const kept = (await bench.cli('export', id, '--format', 'json').ended).out;
        assert.match(kept, /Make it[^]*made\.txt[^]*Half of/);
        assert.match((await bench.cli('checkpoints', id).ended).out, /Before user message: Make it/);

        bench.double.script.push('the work. [TASK_COMPLETE]');
        const { code, out, err } = await bench.cli('continue', id, '--approve', 'edit').ended;
        assert.deepEqual([code, out.trim()], [0, 'the work.'], err);
        assert.doesNotMatch((await bench.cli('sessions').ended).out, /interrupted/);
        assert.equal(await readFile(bench.file('made.txt'), 'utf8'), 'made\n');
      });
  });
