import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Settings } from '../../../src/config/settings';
import { checkpointedFolders } from '../../../src/services/checkpoint/host/checkpointedFolders';
import { Checkpoints } from '../../../src/services/checkpoint/host/checkpoints';
import type { CheckpointedCommand } from '../../../src/services/checkpoint/host/commandChanges';
import type { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { SnapshotError } from '../../../src/services/checkpoint/snapshotError';
import { silentLogger } from '../../../src/utils/logger';
import { makeStorage } from '../../support/storageFolder';
import { AgentBench } from '../agent/support/agentBench';

const { signal } = new AbortController();

describe('checkpoints in a conversation', () => {
  it('are taken before each message and around each command, and hold what was there', async () => {
    const bench = await AgentBench.start({ hasCheckpoints: true });
    try {
      const { double, engine } = bench;
      await writeFile(bench.file('a.txt'), 'alpha');
      const createIt = { call: { name: 'create_file', arguments: { path: 'b.txt', content: 'beta' } } };
      const runIt = { call: { name: 'run_terminal_command', arguments: { command: 'echo gamma > c.txt' } } };
      double.script.push([createIt], [runIt], 'Done.', 'Again.');
      const sessionId = await bench.send('Make two files');
      const question = await bench.question(sessionId);
      await bench.controller.decideApproval(sessionId, question.data.approvalId, true);
      await bench.over(sessionId);
      await bench.ask('Again', { sessionId });
      const taken = await engine.checkpoints.list(sessionId);
      assert.deepEqual(
        taken.map(({ kind, title, state, fileCount }) => [kind, title, state, fileCount]),
        [
          ['initial', 'Initial state', 'taken', 1],
          ['message', 'Before user message: Make two files', 'taken', 1],
          ['command_before', 'Before command: echo gamma > c.txt', 'taken', 2],
          ['command_after', 'After command: echo gamma > c.txt', 'taken', 3],
          ['message', 'Before user message: Again', 'taken', 3],
        ],
      );
      const [, , before, after] = taken.map(({ id }) => id);
      const [change] = await engine.checkpoints.diff(before ?? '', after ?? '');
      assert.deepEqual([change?.path, change?.status], ['c.txt', 'added']);
      assert.deepEqual(bench.problems, []);
    } finally {
      await bench.stop();
    }
  });

  it("hold an ignored file that a tool has written, and a restore knows which changes were the agent's", async () => {
    const settings = { 'agent.sensitiveFilePatterns': { 'made.txt': true } };
    const bench = await AgentBench.start({ hasCheckpoints: true, settings });
    try {
      const { double, engine } = bench;
      await writeFile(bench.file('.gitignore'), 'made.txt\n');
      await writeFile(bench.file('mine.txt'), 'mine');
      const create = (name: string) => ({ call: { name: 'create_file', arguments: { path: name, content: name } } });
      double.script.push([create('made.txt')], [create('other.txt')], 'Done.', 'Again.');
      const sessionId = await bench.ask('Make two files');
      await writeFile(bench.file('mine.txt'), 'still mine');
      await bench.ask('Again', { sessionId });
      const [initial, , last] = await engine.checkpoints.list(sessionId);
      const files = await engine.checkpoints.files(last?.id ?? '');
      assert.deepEqual(
        files.map(({ path: file }) => file),
        ['.gitignore', 'made.txt', 'mine.txt', 'other.txt'],
      );
      const workspace = { roots: [path.dirname(bench.file('x'))], exclude: [], maxFileBytes: 1_000_000 };
      const plan = await engine.restores.plan(sessionId, { kind: 'checkpoint', id: initial?.id ?? '' }, workspace, {});
      assert.deepEqual(
        plan.map(({ action, path: file }) => `${action} ${file}`),
        ['delete made.txt', 'conflict mine.txt', 'delete other.txt'],
      );
    } finally {
      await bench.stop();
    }
  });
});

describe('Checkpoints', () => {
  const calls: string[] = [];
  const problems: string[] = [];
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let bytes = 0;
  let values: Record<string, unknown> = {};
  let roots: string[] = [];
  let lastSeq: () => Promise<number>;
  let recorded: CheckpointedCommand[] = [];
  let damage = { healed: 0, left: 0 };
  let checkpoints: Checkpoints;
  beforeEach(() => {
    damage = { healed: 0, left: 0 };
    calls.length = 0;
    problems.length = 0;
    waiting = [];
    values = {};
    roots = ['/workspace'];
    bytes = 0;
    lastSeq = async () => 0;
    recorded = [];
    const call =
      (method: string) =>
      (...args: unknown[]) => {
        calls.push(`${method} ${args.filter((arg) => typeof arg === 'string').join(' ')}`);
        return new Promise<unknown[]>((resolve, reject) =>
          waiting.push({ resolve: () => resolve([{ id: `c${calls.length}` }]), reject }),
        );
      };
    const engine = {
      checkpoints: { takeForMessage: call('takeForMessage'), takeNow: call('takeNow'), stage: call('stage') },
      care: { usage: () => Promise.resolve({ bytes, damage }) },
    };
    const settings = new Settings({ get: (key) => values[key] }, ({ problem }) => assert.fail(problem));
    const host = {
      getCheckpointConfig: () => settings.getCheckpointConfig(),
      checkpointed: () =>
        checkpointedFolders(
          roots.map((root) => ({ path: root })),
          homedir(),
        ),
      lastSeq: () => lastSeq(),
      onProblem: (message: string) => problems.push(message),
      logger: silentLogger,
    };
    const changes = { record: async (command: CheckpointedCommand) => void recorded.push(command) };
    const histories = { keep: async ({ command }: { command: string }) => [`/lost by ${command}`] };
    checkpoints = new Checkpoints(engine as unknown as EngineClient, host, changes, histories);
  });

  /** Lets the last checkpoint succeed, or fail with `error` if given. */
  const settle = async (error?: Error) => {
    await setImmediate();
    if (error) waiting.at(-1)?.reject(error);
    else waiting.at(-1)?.resolve();
    await setImmediate();
  };

  /** Starts a background command. The returned function ends it. */
  const background = async (name: string, error?: Error): Promise<() => void> => {
    const command = { sessionId: 'one', callId: name, effect: 'command' as const, input: { command: name }, signal };
    let end: () => void = assert.fail;
    const call = checkpoints.around(command, async (beginCommand) => {
      const begun = await beginCommand('/workspace');
      begun.goesOn(new Promise<void>((resolve) => (end = resolve)));
    });
    await settle(error);
    await call;
    await settle();
    return end;
  };

  it('name once the folders that only the built-in list leaves out', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-built-in-'));
    try {
      for (const name of ['build', 'src/build', 'node_modules']) mkdirSync(path.join(folder, name), { recursive: true });
      roots = [folder];
      checkpoints.runBegun('one');
      await settle();
      checkpoints.runBegun('one');
      await settle();
      assert.deepEqual([problems.length, /“build”.*“!\/build\/”/.test(problems[0] ?? '')], [1, true]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('are not taken of a home folder or what holds it, which is told once', async () => {
    for (const folder of [homedir(), path.dirname(homedir()), path.parse(homedir()).root]) {
      roots = [folder];
      checkpoints.runBegun('one');
      await setImmediate();
    }
    assert.deepEqual(calls, []);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /home folder/);
    roots = [homedir(), path.join(homedir(), '..project'), path.join(homedir(), 'project')];
    checkpoints.runBegun('one');
    await settle();
    assert.equal(calls.length, 1);
  });

  it('are not taken of a folder that holds a storage of ours, which is told once', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'storage-'));
    makeStorage(folder);
    try {
      roots = [folder];
      checkpoints.runBegun('one');
      checkpoints.runBegun('one');
      await setImmediate();
      assert.deepEqual(calls, []);
      assert.equal(problems.length, 1);
      assert.ok(problems[0]?.startsWith(`Checkpoints are not available for ${folder} because `));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('hold what changes files until what is under way is stored, and nobody else', async () => {
    checkpoints.runBegun('one');
    await setImmediate();
    const order: string[] = [];
    const write = checkpoints.around(
      { sessionId: 'one', callId: 'c', effect: 'files', input: {}, signal },
      async () => void order.push('one'),
    );
    await checkpoints.around(
      { sessionId: 'two', callId: 'c', effect: 'files', input: {}, signal },
      async () => void order.push('two'),
    );
    order.push('stored');
    waiting[0]?.resolve();
    await write;
    assert.deepEqual(order, ['two', 'stored', 'one']);
    assert.deepEqual(calls, ['takeForMessage one']);
  });

  it('hold what changes files also where another one cannot be begun meanwhile', async () => {
    checkpoints.runBegun('one');
    await setImmediate();
    lastSeq = () => Promise.reject(new SnapshotError('vanished', 'a test'));
    checkpoints.runBegun('one');
    const order: string[] = [];
    const write = checkpoints.around(
      { sessionId: 'one', callId: 'c', effect: 'files', input: {}, signal },
      async () => void order.push('written'),
    );
    await setImmediate();
    order.push('stored');
    waiting[0]?.resolve();
    await write;
    assert.deepEqual(order, ['stored', 'written']);
    assert.deepEqual([calls, problems.length], [['takeForMessage one'], 1]);
  });

  it('let go of a run that is stopped while it waits', async () => {
    checkpoints.runBegun('one');
    const stop = new AbortController();
    const write = checkpoints.around(
      { sessionId: 'one', callId: 'c', effect: 'files', input: {}, signal: stop.signal },
      async () => assert.fail(),
    );
    stop.abort();
    await assert.rejects(write, { code: 'cancelled' });
  });

  it('begin nothing for a command, and wait for nothing, after Stop', async () => {
    const stop = new AbortController();
    const call = { sessionId: 'one', callId: 'c', effect: 'command' as const, input: { command: 'make' }, signal: stop.signal };
    const command = checkpoints.around(call, async (beginCommand) => {
      stop.abort();
      await beginCommand();
      assert.fail();
    });
    await assert.rejects(command, { code: 'cancelled' });
    assert.deepEqual(calls, []);
    checkpoints.runBegun('one');
    await assert.rejects(checkpoints.ready('one', stop.signal), { code: 'cancelled' });
  });

  it('tell once of stored contents that are damaged, and of those that they have stored anew', async () => {
    damage = { healed: 3, left: 1 };
    for (let round = 0; round < 2; round += 1) {
      checkpoints.runBegun('one');
      await settle();
    }
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /3 were repaired from your files, 1 cannot be restored/);
  });

  it('that fail hold nothing up and are told once', async () => {
    for (let round = 0; round < 2; round += 1) {
      checkpoints.runBegun('one');
      await setImmediate();
      waiting[round]?.reject(new SnapshotError('vanished', 'a test'));
      assert.equal(
        await checkpoints.around({ sessionId: 'one', callId: 'c', effect: 'files', input: {}, signal }, async () => 'done'),
        'done',
      );
    }
    assert.deepEqual(problems, [
      'Could not store the state of the workspace, so it cannot be restored later. Could not store the checkpoint. Try again.',
    ]);
  });

  it('surround a command, unless that is switched off', async () => {
    const input = { command: `npm test ${'x'.repeat(100)}` };
    const command = { sessionId: 'one', callId: 'c', effect: 'command' as const, input, signal };
    const work = async (beginCommand: () => Promise<unknown>) => {
      calls.push('asked');
      await beginCommand();
      calls.push('command');
    };
    const running = checkpoints.around(command, work);
    await setImmediate();
    waiting[0]?.resolve();
    await running;
    await setImmediate();
    const shown = `npm test ${'x'.repeat(70)}…`;
    assert.deepEqual(calls, [
      'asked',
      `takeNow one command_before Before command: ${shown}`,
      'command',
      `takeNow one command_after After command: ${shown}`,
    ]);
    waiting[1]?.resolve();
    calls.length = 0;
    values = { 'checkpoints.aroundCommands': false };
    await setImmediate();
    await checkpoints.around(command, work);
    values = {};
    await checkpoints.around(command, async () => void calls.push('declined'));
    assert.deepEqual(calls, ['asked', 'command', 'declined']);
  });

  it('are taken once more when a command ends that went on, and while it does when its run is over', async () => {
    const end = await background('serve');
    checkpoints.runEnded('another');
    checkpoints.runEnded('one');
    await settle();
    // Changes so far are reported now. Changes during later runs are reported when the command ends.
    checkpoints.runEnded('one');
    end();
    await setImmediate();
    // The session was deleted in the meantime, so the failure is not reported.
    waiting.at(-1)?.reject(new SnapshotError('notFound', 'a test'));
    await setImmediate();
    checkpoints.runEnded('one');
    await setImmediate();
    assert.deepEqual(calls, [
      'takeNow one command_before Before command: serve',
      'takeNow one command_after After command: serve',
      'takeNow one command_after During command: serve',
      'takeNow one command_after After command: serve',
    ]);
    assert.deepEqual(problems, []);
  });

  it('are taken once for all commands that go on, and not for one that nothing is known of from before', async () => {
    await background('lost', new SnapshotError('vanished', 'a test'));
    checkpoints.runEnded('one');
    await settle();
    assert.deepEqual([calls.filter((one) => one.includes('During')), recorded], [[], []]);
    await background('serve');
    await background('watch');
    calls.length = 0;
    recorded = [];
    checkpoints.runEnded('one');
    await settle();
    assert.deepEqual(calls, ['takeNow one command_after During command: serve, watch']);
    assert.deepEqual(
      recorded.map(({ callId, unkept }) => [callId, unkept]),
      [
        ['serve', ['/lost by serve']],
        ['watch', ['/lost by watch']],
      ],
    );
  });

  it('are taken for a command that has ended once the one that runs has its own', async () => {
    const end = await background('serve');
    calls.length = 0;
    const command = { sessionId: 'one', callId: 'c', effect: 'command' as const, input: { command: 'make' }, signal };
    let isMade: () => void = assert.fail;
    const call = checkpoints.around(command, async (beginCommand) => {
      await beginCommand();
      await new Promise<void>((resolve) => (isMade = resolve));
    });
    await settle();
    end();
    await settle();
    assert.deepEqual(calls, ['takeNow one command_before Before command: make']);
    isMade();
    await call;
    await settle();
    await settle();
    assert.deepEqual(calls.slice(1), [
      'takeNow one command_after After command: make',
      'takeNow one command_after After command: serve',
    ]);
  });

  it('say once when they take more room than is allowed', async () => {
    for (bytes of [100_000_000, 100_000_001, 100_000_002]) {
      values = { 'checkpoints.maxStorageMB': 100 };
      checkpoints.runBegun('one');
      await setImmediate();
      waiting.at(-1)?.resolve();
      await checkpoints.ready('one', signal);
      await setImmediate();
      assert.equal(problems.length, bytes > 100_000_000 ? 1 : 0);
    }
    assert.deepEqual(problems, [
      'Checkpoints use more disk space than the limit allows. To free up space, open Checkpoints in the settings.',
    ]);
  });

  it('are not taken where they are switched off, and where no folder may be read', async () => {
    values = { 'checkpoints.enabled': false };
    checkpoints.runBegun('one');
    values = {};
    roots = [];
    checkpoints.runBegun('one');
    await setImmediate();
    assert.deepEqual(calls, []);
  });
});
