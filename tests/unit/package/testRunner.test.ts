import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { repository } from './manifest';

interface Step {
  name: string;
  lanes?: number;
  needs?: string[];
}
interface Runner {
  schedule: (steps: Step[], perform: (step: Step) => Promise<string>) => Promise<string[]>;
  divide: (files: string[], count: number) => string[][];
  unitParts: Record<string, string[] | undefined>;
  unitFiles: () => string[];
  filesOfPart: (files: string[], part: string) => string[];
  within: (files: string[], ms: number) => string[];
  testsOf: (sources: string[]) => string[];
  reportFolder: () => string;
  reporting: (folder: string) => NodeJS.ProcessEnv;
  stacksOfKilled: (pids: number[], folder: string) => Promise<string>;
}

async function runner(): Promise<Runner> {
  const names = ['schedule', 'unitFiles', 'importGraph', 'stacks'];
  const parts = names.map(async (name) => (await import(path.join(repository, `scripts/lib/${name}.mjs`))) as object);
  return Object.assign({}, ...(await Promise.all(parts))) as Runner;
}

/** Runs steps that end in the given order. Returns the recorded starts and ends. */
async function played(steps: Step[], order: string[]): Promise<string[]> {
  const { schedule } = await runner();
  const log = [] as string[];
  const ends = new Map<string, () => void>();
  const all = schedule(steps, (step) => {
    log.push(step.name);
    return new Promise((resolve) => ends.set(step.name, () => resolve(step.name)));
  });
  for (const name of order) {
    await new Promise(setImmediate);
    log.push(`end ${name}`);
    ends.get(name)?.();
  }
  assert.deepEqual(
    await all,
    steps.map(({ name }) => name),
  );
  return log;
}

describe('the runner of the tests', () => {
  it('runs steps in order on two lanes, each after what it needs, and a wide one alone', async () => {
    const steps = [
      { name: 'a' },
      { name: 'b' },
      { name: 'c', needs: ['a'] },
      { name: 'wide', lanes: 2 },
      { name: 'd', needs: ['elsewhere'] },
    ];
    const log = await played(steps, ['b', 'a', 'c', 'wide', 'd']);
    assert.deepEqual(log, ['a', 'b', 'end b', 'end a', 'c', 'end c', 'wide', 'end wide', 'd', 'end d']);
  });

  it('names steps that wait for each other', async () => {
    const { schedule } = await runner();
    const steps = [
      { name: 'a', needs: ['b'] },
      { name: 'b', needs: ['a'] },
    ];
    await assert.rejects(
      schedule(steps, async () => ''),
      /wait for each other: a, b/,
    );
  });

  it('divides files so that each is in one list and none is left without any', async () => {
    const { divide } = await runner();
    const files = Array.from({ length: 20 }, (_, index) => `out/tests/unit/none/${String(index).padStart(2, '0')}.test.js`);
    const lists = divide(files, 3);
    assert.deepEqual(lists.flat().sort(), files);
    assert.deepEqual(lists.map(({ length }) => length).sort(), [6, 7, 7]);
  });

  it('runs each unit and contract test in one part', async () => {
    const { unitParts, unitFiles, filesOfPart } = await runner();
    const files = unitFiles();
    const parts = Object.keys(unitParts).map((part) => filesOfPart(files, part));
    assert.deepEqual(parts.flat().sort(), files.sort());
    assert.ok(parts.every(({ length }) => length > files.length / 10));
    assert.ok(parts.at(-1)?.some((file) => file.startsWith('out/tests/contract/')));
  });

  it('finds the tests that import a source, also by way of a worker that is started by its name', async () => {
    const { testsOf } = await runner();
    assert.ok(testsOf(['src/utils/text/lineDiff.ts']).includes('out/tests/unit/utils/lineDiff.test.js'));
    assert.ok(
      testsOf(['src/services/checkpoint/engine/blockWorker.ts']).includes('out/tests/unit/checkpoint/blockThread.test.js'),
    );
    assert.deepEqual(testsOf(['src/none.ts']), []);
  });

  it('begins with the tests that are nearest to a change, and takes as many as the time allows', async () => {
    const { testsOf, within } = await runner();
    const tests = testsOf(['src/agent/loop/loopGuard.ts']);
    assert.ok(tests.indexOf('out/tests/unit/agent/loopGuard.test.js') < 3, tests.slice(0, 5).join(' '));
    const some = within(tests, 60_000);
    assert.ok(some.length > 1 && some.length < tests.length);
    assert.deepEqual(some, tests.slice(0, some.length));
    assert.deepEqual([within(tests, 0).length, within(tests, Infinity).length], [1, tests.length]);
    const ofChunk = testsOf(['src/services/model/client/httpTransport.ts']);
    assert.ok(
      ofChunk.some((file) => file.startsWith('out/tests/unit/model/')),
      'a module that is loaded with a named chunk',
    );
  });

  // Only Linux shows the stack of a running process.
  if (!existsSync('/proc/self/environ')) return;

  it('kills a process that hangs, and shows where', async () => {
    const { reportFolder, reporting, stacksOfKilled } = await runner();
    const folder = reportFolder();
    const script = 'function hangsHere() { for (;;); } console.log("begun"); hangsHere();';
    const child = spawn(process.execPath, ['-e', script], {
      env: { ...process.env, ...reporting(folder) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    const stacks = await stacksOfKilled([child.pid ?? 0], folder);
    assert.match(stacks, /hangsHere/);
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    assert.equal(existsSync(folder), false);
  });
});
