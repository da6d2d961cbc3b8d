import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runTerminalCommandTool } from '../../../../src/agent/tools/command/runTerminalCommand';
import { isCancelled } from '../../../../src/utils/errors';
import { ToolBench } from '../support/toolBench';

const ofIgnored = 'deletes ignored files, which no checkpoint contains unless the agent changed them';

describe('a command that runs git clean', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await ToolBench.start();
    bench.isApproved = false;
    git('init', '-q');
    put('.gitignore', 'local/\nnode_modules/\n*.log\n');
    put('local/config.json');
    put('local/tools/old/a.txt');
    put('sub/y.log');
    put('sub/kept.txt');
    put('x.log');
    put('keep.log');
    git('add', '.gitignore', 'sub/kept.txt');
  });
  afterEach(() => bench.stop());

  const git = (...args: string[]) => execFileSync('git', args, { cwd: bench.file(), stdio: ['ignore', 'pipe', 'ignore'] });

  function put(name: string, text = ''): void {
    mkdirSync(path.dirname(bench.file(name)), { recursive: true });
    writeFileSync(bench.file(name), text);
  }

  /** Returns the reasons of the question about a command, and if the user can allow it for the session. */
  async function asked(command: string): Promise<{ reasons: readonly string[]; always: boolean }> {
    const terminals = { run: () => assert.fail('ran') };
    const background = { start: () => assert.fail('ran'), running: () => [], whenEnded: async () => undefined };
    await bench.run(runTerminalCommandTool(bench.access, { terminals, background }), { command });
    const question = bench.questions.at(-1);
    return { reasons: question?.reasons ?? [], always: question?.canAllowAlways === true };
  }

  const ofUntracked = 'can discard uncommitted changes';
  const cases: [command: string, reasons: string[], always: boolean][] = [
    // Git removes the whole ignored folder, not just the given path in it.
    ['git clean -fdX -- local/tools/old', [ofIgnored, 'removes local/'], false],
    ['git clean -xdf', [ofIgnored, 'removes keep.log, local/, sub/y.log, x.log'], false],
    ['git clean -fdx -e keep.log', [ofIgnored, 'removes local/, sub/y.log, x.log'], false],
    ['git clean -fdx --exclude=local', [ofIgnored, 'removes keep.log, sub/y.log, x.log'], false],
    ["git clean -fdx -- ':(exclude)*.log'", [ofIgnored, 'removes local/'], false],
    ['git -C sub clean -fX', [ofIgnored, 'removes sub/y.log'], false],
    ['cd sub && git clean -f -x', [ofIgnored, 'removes sub/y.log'], false],
    ['bash -c "git clean -fX"', ['runs generated code', ofIgnored, 'removes keep.log, sub/y.log, x.log'], false],
    ['git clean -fx $DIR', [ofIgnored], false],
    ['git -C .. clean -fdx', [ofIgnored], false],
    ['git clean -qfx local', [ofIgnored, 'removes local/'], false],
    ["git clean -fx '*.log'", [ofIgnored], false],
  ];
  for (const [command, reasons, always] of cases) {
    it(`asks with what goes: ${command}`, async () => {
      assert.deepEqual(await asked(command), { reasons, always });
      assert.deepEqual(
        ['local/config.json', 'x.log', 'sub/y.log'].map((name) => existsSync(bench.file(name))),
        [true, true, true],
      );
    });
  }

  it('names untracked files too, and counts those that it does not name', async () => {
    for (let index = 0; index < 9; index += 1) put(`new${index}.ts`);
    assert.deepEqual(await asked('git clean -f'), {
      reasons: [ofUntracked, 'removes new0.ts, new1.ts, new2.ts, new3.ts, new4.ts, and 4 more'],
      always: true,
    });
  });

  it('runs nothing that the repository configures', async () => {
    git('config', 'core.fsmonitor', `touch ${bench.file('ran')};`);
    assert.deepEqual((await asked('git clean -fdX local')).reasons, [ofIgnored, 'removes local/']);
    git('config', 'alias.clean', `!touch ${bench.file('ran')}`);
    git('config', 'core.sshCommand', `touch ${bench.file('ran')};`);
    assert.deepEqual((await asked('git clean -fdX local')).reasons[0], ofIgnored);
    assert.equal(existsSync(bench.file('ran')), false);
  });

  it('asks again where the same command was allowed before', async () => {
    bench.grants = { ...bench.grants, allowedCommands: [{ command: 'git clean -fdX', cwd: '.' }] };
    assert.equal((await asked('git clean -fdX')).always, false);
  });

  it('asks nothing once the run was stopped', async () => {
    bench.stopping.abort();
    await assert.rejects(asked('git clean -fdX'), isCancelled);
    assert.deepEqual(bench.questions, []);
  });
});
