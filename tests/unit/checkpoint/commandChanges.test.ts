import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Entry, EntryInput } from '../../../src/protocol/entries';
import type { Timeline, ToolAction } from '../../../src/protocol/timeline';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import { CommandChangeRecorder } from '../../../src/services/checkpoint/host/commandChanges';
import { planCommandUndo } from '../../../src/services/checkpoint/host/commandUndo';
import type { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { eventually } from '../../support/until';

const actionsOf = (timeline: Timeline): ToolAction[] =>
  timeline.turns.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === 'toolGroup' ? block.actions : [])));

describe('what a command changed', () => {
  it('is with its call, with the lines, live as from the log, and can be compared', async () => {
    const bench = await AgentBench.start({ hasCheckpoints: true });
    try {
      for (const [name, text] of [
        ['a.txt', 'one\ntwo\n'],
        ['gone.txt', 'gone\n'],
        ['same.txt', 'same\n'],
      ] as const)
        await writeFile(bench.file(name), text);
      const runIt = (command: string) => ({ call: { name: 'run_terminal_command', arguments: { command } } });
      const command = 'printf "one\\n2\\n3\\n" > a.txt; rm gone.txt; mkdir new; printf "\\0" > new/b.bin; touch same.txt';
      bench.double.script.push([runIt('true')], [runIt('rm a.txt')], [runIt(command)], 'Done.');
      const sessionId = await bench.send('Go');
      for (const isWanted of [true, false, true]) {
        const { data } = await bench.question(sessionId);
        // The user changes a file before the command runs.
        await writeFile(bench.file('same.txt'), `${data.approvalId}\n`);
        await bench.controller.decideApproval(sessionId, data.approvalId, isWanted);
      }
      await bench.over(sessionId);
      await bench.view.waitFor(sessionId, ({ type, data }) => type === 'checkpoint' && data.command !== undefined);

      const live = bench.view.timeline(sessionId, false);
      const [quiet, declined, busy] = actionsOf(live);
      assert.deepEqual([quiet?.changes, declined?.changes], [null, null]);
      assert.deepEqual(
        [busy?.changes?.count, busy?.changes?.files],
        [
          3,
          [
            { path: 'a.txt', status: 'modified', lines: { additions: 2, deletions: 1 } },
            { path: 'gone.txt', status: 'deleted', lines: { additions: 0, deletions: 1 } },
            { path: 'new/b.bin', status: 'created', lines: null },
          ],
        ],
      );
      const { entries } = await bench.database.log.read(sessionId, 0);
      assert.deepEqual(reduceTimeline(entries, { isLive: false }), live);

      const around = busy?.changes ?? { before: '', after: '' };
      const all = await bench.restores.compareAround(around);
      assert.deepEqual(
        all.map(({ shown }) => shown),
        ['a.txt', 'gone.txt', 'new/b.bin'],
      );
      const [one] = await bench.restores.compareAround(around, 'a.txt');
      assert.equal(one?.file, bench.file('a.txt'));
      const textOf = async (hash: string | null | undefined) => Buffer.from(await bench.snapshots.get(hash ?? '')).toString();
      assert.deepEqual([await textOf(one?.before?.hash), await textOf(one?.after?.hash)], ['one\ntwo\n', 'one\n2\n3\n']);
      assert.deepEqual(bench.problems, []);
    } finally {
      await bench.stop();
    }
  });

  it('is undone by its plan, which leaves what changed again since to a person', async () => {
    const bench = await AgentBench.start({ hasCheckpoints: true });
    try {
      const put = (name: string, text: string) => writeFile(bench.file(name), text);
      const read = (name: string) => readFile(bench.file(name), 'utf8').catch(() => null);
      await put('a.txt', 'one\n');
      await put('b.txt', 'two\n');
      await put('other.txt', 'mine\n');
      const command = 'echo 1 > a.txt; echo 2 > b.txt; echo new > new.txt';
      bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command } } }], 'Done.');
      const sessionId = await bench.send('Go');
      await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
      await bench.over(sessionId);
      await bench.view.waitFor(sessionId, ({ type, data }) => type === 'checkpoint' && data.command !== undefined);
      await put('b.txt', 'mine since\n');
      await put('other.txt', 'mine since\n');

      const around = actionsOf(bench.view.timeline(sessionId, false))[0]?.changes ?? { before: '', after: '' };
      const { steps } = await planCommandUndo(bench.restores, sessionId, around);
      assert.deepEqual(
        steps.map(({ shown, action, reason }) => [shown, action, reason]),
        [
          ['a.txt', 'write', null],
          ['b.txt', 'conflict', 'changedSince'],
          ['new.txt', 'delete', null],
        ],
      );
      const files = steps.filter(({ action }) => action !== 'conflict').map(({ file }) => file);
      const target = { kind: 'checkpoint', id: around.before } as const;
      await bench.restores.restore(sessionId, target, { files, overwrite: [] });
      assert.deepEqual(await Promise.all(['a.txt', 'b.txt', 'new.txt', 'other.txt'].map(read)), [
        ...['one\n', 'mine since\n', null, 'mine since\n'],
      ]);
      const changes = async () => {
        const { entries } = await bench.database.log.read(sessionId, 0);
        return actionsOf(reduceTimeline(entries, { isLive: false }))[0]?.changes;
      };
      assert.equal((await changes())?.isUndone, undefined);
      const rest = { files: [bench.file('b.txt')], overwrite: [bench.file('b.txt')] };
      const undoneCall = (await changes())?.callId;
      const { operationId } = await bench.restores.restore(sessionId, target, { ...rest, undoneCall });
      assert.deepEqual([await read('b.txt'), (await changes())?.isUndone], ['two\n', true]);
      await bench.restores.restore(sessionId, { kind: 'restore', id: operationId }, { files: rest.files, overwrite: [] });
      assert.deepEqual([await read('b.txt'), (await changes())?.isUndone], ['mine since\n', undefined]);
    } finally {
      await bench.stop();
    }
  });

  it('names the Git history and the left-out files that it removed, in its row, in the plan and in the result', async () => {
    const bench = await AgentBench.start({ hasCheckpoints: true });
    try {
      const files: [string, string][] = [
        ['lib/.git/HEAD', 'ref: refs/heads/main\n'],
        ['lib/native.a', '\0'],
        ['.gitignore', '*.env\n'],
        ['my.env', 'x'],
      ];
      for (const [name, text] of files) {
        await mkdir(path.dirname(bench.file(name)), { recursive: true });
        await writeFile(bench.file(name), text);
      }
      bench.double.script.push(
        [{ call: { name: 'run_terminal_command', arguments: { command: 'rm -rf lib my.env' } } }],
        'Done.',
      );
      const sessionId = await bench.send('Go');
      await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
      await bench.over(sessionId);
      await bench.view.waitFor(sessionId, ({ type, data }) => type === 'checkpoint' && data.command !== undefined);

      const uncovered = { histories: [{ folder: 'lib', isGone: true }], gone: ['lib/native.a', 'my.env'], goneCount: 2 };
      const [action] = actionsOf(bench.view.timeline(sessionId, false));
      assert.deepEqual([action?.changes?.count, action?.changes?.uncovered], [0, uncovered]);
      const message = bench.view.entries(sessionId).find(({ type }) => type === 'user_input');
      const target = { kind: 'checkpoint', id: message?.checkpointId ?? '' } as const;
      await writeFile(bench.file('new.txt'), 'new\n');
      const plan = await bench.restores.plan(sessionId, target);
      assert.deepEqual(plan.uncovered, uncovered);
      const [file = ''] = plan.steps.map((step) => step.file);
      await bench.restores.restore(sessionId, target, { files: [file], overwrite: [file] });
      const { entries } = await bench.database.log.read(sessionId, 0);
      const told = entries.flatMap(({ type, data }) => (type === 'restore' ? [[data.paths, data.uncovered]] : []));
      assert.deepEqual(told, [[['new.txt'], uncovered]]);
      assert.deepEqual(bench.problems, []);
    } finally {
      await bench.stop();
    }
  });

  it('in the background is told when it ends, without what the agent did otherwise meanwhile, and a change by hand stays one', async () => {
    const bench = await AgentBench.start({ hasCheckpoints: true });
    try {
      await writeFile(bench.file('mine.txt'), 'mine\n');
      await writeFile(bench.file('both.txt'), 'one\n');
      const runIt = (command: string, background = false) => ({
        call: { name: 'run_terminal_command', arguments: { command, background } },
      });
      const write = (name: string) => ({ call: { name: 'write_file', arguments: { path: name, content: `${name}\n` } } });
      const slow =
        'printf early > early.txt; while [ ! -e go ]; do sleep 0.02; done; rm go; printf "two\\n" > both.txt; printf late > late.txt';
      bench.double.script.push([runIt(slow, true)], [write('tool.txt'), write('both.txt')], [runIt('printf fg > fg.txt')]);
      bench.double.script.push([runIt('true')], 'Done.');
      const sessionId = await bench.send('Go');
      for (const isWanted of [true, true]) {
        const { data } = await bench.question(sessionId);
        await bench.controller.decideApproval(sessionId, data.approvalId, isWanted);
      }
      const last = await bench.question(sessionId);
      await writeFile(bench.file('mine.txt'), 'by hand\n');
      await writeFile(bench.file('go'), '');
      const isAll = ({ type, data }: Entry) =>
        type === 'checkpoint' && data.command?.files.some((one) => one.path === 'late.txt') === true;
      await bench.view.waitFor(sessionId, isAll);
      await bench.controller.decideApproval(sessionId, last.data.approvalId, false);
      await bench.over(sessionId);

      const live = bench.view.timeline(sessionId, false);
      const [background, foreground] = actionsOf(live).filter(({ name }) => name === 'run_terminal_command');
      const named = (action: ToolAction | undefined) =>
        action?.changes?.files.map(({ path: file, status }) => `${status} ${file}`);
      const expected = ['modified both.txt', 'created early.txt', 'created late.txt', 'modified mine.txt'];
      assert.deepEqual([named(background), named(foreground)], [expected, ['created fg.txt']]);
      const compared = await bench.restores.compareAround(background?.changes ?? { before: '', after: '' });
      assert.deepEqual(
        compared.map(({ shown }) => shown),
        ['both.txt', 'early.txt', 'late.txt', 'mine.txt'],
      );
      const { entries } = await bench.database.log.read(sessionId, 0);
      assert.deepEqual(reduceTimeline(entries, { isLive: false }), live);
      // The origin of this change is unknown, so it is a conflict.
      const message = entries.find(({ type }) => type === 'user_input');
      const { steps } = await bench.restores.plan(sessionId, { kind: 'checkpoint', id: message?.checkpointId ?? '' });
      const actions = new Map(steps.map(({ shown, action }) => [shown, action]));
      assert.deepEqual(
        ['mine.txt', 'tool.txt', 'fg.txt'].map((name) => actions.get(name)),
        ['conflict', 'delete', 'delete'],
      );
      assert.deepEqual(bench.problems, []);
    } finally {
      await bench.stop();
    }
  });

  it('that outlasts its run is told when that is over, and again with its call when it ends', async () => {
    const bench = await AgentBench.start({ hasCheckpoints: true });
    try {
      const command = 'printf 1 > one.txt; while [ ! -e go ]; do sleep 0.02; done; rm go; printf 2 > two.txt';
      bench.double.script.push(
        [{ call: { name: 'run_terminal_command', arguments: { command, background: true } } }],
        'Done.',
        'Yes.',
      );
      const sessionId = await bench.send('Go');
      const { data } = await bench.question(sessionId);
      await bench.controller.decideApproval(sessionId, data.approvalId, true);
      await bench.over(sessionId);
      const titles = async () => (await bench.engine.checkpoints.list(sessionId)).map(({ title }) => title.replace(/: .*/, ''));
      const around = ['Initial state', 'Before user message', 'Before command', 'After command', 'During command'];
      await eventually(async () => assert.deepEqual(await titles(), around));
      const files = () =>
        bench.view
          .timeline(sessionId, false)
          .turns.map((turn) =>
            turn.blocks.flatMap((block) =>
              block.kind === 'toolGroup'
                ? block.actions.flatMap(({ changes }) => changes?.files.map((one) => one.path) ?? [])
                : [],
            ),
          );
      await bench.ask('And?', { sessionId });
      assert.deepEqual(files(), [['one.txt'], []]);
      await writeFile(bench.file('go'), '');
      const isAll = (entry: Entry) => entry.type === 'checkpoint' && entry.data.command?.count === 2;
      await bench.view.waitFor(sessionId, isAll);
      assert.deepEqual(files(), [['one.txt', 'two.txt'], []]);
      const { entries } = await bench.database.log.read(sessionId, 0);
      assert.deepEqual(reduceTimeline(entries, { isLive: false }), bench.view.timeline(sessionId, false));
    } finally {
      await bench.stop();
    }
  });

  const told: EntryInput[] = [];
  const changesOf = (count: number, call?: (method: string) => unknown) => {
    const changes = Array.from({ length: count }, (_, at) => {
      return { root: path.resolve('/w'), path: `${at}.txt`, status: 'added', lines: null };
    });
    const checkpoints = {
      info: async () => call?.('info') ?? { title: 'After command: make' },
      changesAround: async (_before: string, _after: string, limit: number) => ({
        uncovered: { histories: [], gone: [], goneCount: 0 },
        ...(call?.('changesAround') ?? { count, changes: changes.slice(0, limit) }),
      }),
    };
    const log = { append: async (_id: string, input: EntryInput) => (told.push(input), {} as Entry) };
    const folders = () => [
      { name: 'web', path: path.resolve('/w') },
      { name: 'api', path: path.resolve('/a') },
    ];
    return new CommandChangeRecorder({ checkpoints, histories: { of: async () => [] } } as unknown as EngineClient, log, {
      folders,
      logger: silentLogger,
    });
  };
  const command = { sessionId: 's', callId: 'c', before: 'b', after: 'a' };
  beforeEach(() => (told.length = 0));

  it('is told with the first fifty files, by their names in a workspace of several folders', async () => {
    await changesOf(1000).record(command);
    const [entry] = told;
    assert.ok(entry?.type === 'checkpoint');
    const { files = [], ...rest } = entry.data.command ?? {};
    assert.deepEqual(rest, { callId: 'c', before: 'b', after: 'a', count: 1000 });
    assert.deepEqual([files.length, files[0]], [50, { path: 'web/0.txt', status: 'created', lines: null }]);
  });

  it('is told again where nothing is left of it, which replaces what was told before, and else not at all', async () => {
    const found = { count: 1, changes: [] };
    const changes = changesOf(0, (method) => (method === 'changesAround' && told.length === 0 ? found : undefined));
    await changes.record(command);
    await changes.record({ ...command, after: 'later' });
    const none = { callId: 'c', before: 'b', after: 'later', files: [], count: 0 };
    assert.deepEqual(told.slice(1), [
      { type: 'checkpoint', data: { kind: 'command_after', title: 'After command: make', command: none } },
    ]);
    await changesOf(0).record(command);
    assert.equal(told.length, 2);
  });

  it('names the Git histories that could not be saved before it, apart from what no checkpoint holds', async () => {
    await changesOf(0).record({ ...command, unkept: [path.resolve('/w/lib'), path.resolve('/a')] });
    const [entry] = told;
    assert.ok(entry?.type === 'checkpoint');
    assert.deepEqual([entry.data.command?.unkept, entry.data.command?.uncovered], [['web/lib', 'api'], undefined]);
  });

  it('does not hold what a person has brought back meanwhile', async () => {
    const bench = await AgentBench.start({ hasCheckpoints: true });
    try {
      await writeFile(bench.file('a.txt'), 'before\n');
      const call = (name: string, input: Record<string, unknown>) => ({ call: { name, arguments: input } });
      const write = (name: string) => call('write_file', { path: name, content: 'by the agent\n' });
      const command = 'while [ ! -e go ]; do sleep 0.02; done; rm go; printf 2 > two.txt';
      bench.double.script.push([write('a.txt'), write('made.txt')], 'Done.');
      bench.double.script.push([call('run_terminal_command', { command, background: true })], 'Done.');
      const sessionId = await bench.ask('Write');
      await bench.send('Go', { sessionId });
      const { data } = await bench.question(sessionId);
      await bench.controller.decideApproval(sessionId, data.approvalId, true);
      await bench.over(sessionId);
      await bench.changes.undo(sessionId, null);
      await writeFile(bench.file('go'), '');
      const isLast = (entry: Entry) =>
        entry.type === 'checkpoint' && entry.data.command?.files.some((one) => one.path === 'two.txt') === true;
      const last = await bench.view.waitFor(sessionId, isLast);
      assert.ok(last.type === 'checkpoint');
      assert.deepEqual(
        last.data.command?.files.map((one) => one.path),
        ['two.txt'],
      );
    } finally {
      await bench.stop();
    }
  });

  it('is not told where nothing changed, or where it cannot be known', async () => {
    await changesOf(0).record(command);
    await changesOf(3, () => Promise.reject(new Error('no such checkpoint'))).record(command);
    assert.deepEqual(told, []);
  });
});
