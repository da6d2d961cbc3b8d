import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import { removeUnfinishedWrites } from '../../../src/services/files/unfinishedWrites';
import { silentLogger } from '../../../src/utils/logger';
import { Chance } from '../../support/hostile';
import { runSeed } from '../../support/rounds';
import type { Step } from '../../support/ollama/doubleReply';
import { exitOf } from '../database/processes/child';
import { AgentBench } from './support/agentBench';
import { outline } from './support/outline';
import { allowUntilOver } from './support/allowUntilOver';
import { until } from '../../support/until';

const text = (word: string): string => `${word}\n`.repeat(500);
const originals: Record<string, string> = { 'a.txt': text('a'), 'c.txt': 'one\ntwo\n', 'd.txt': text('d'), 'e.txt': text('e') };

const call = (name: string, args: Record<string, unknown>): Step => ({ call: { name, arguments: args } });
const command = 'printf made > made.txt && sleep 0.1 && printf " whole" >> made.txt';
const steps: readonly Step[] = [
  call('write_file', { path: 'a.txt', content: text('first') }),
  call('create_file', { path: 'new/b.txt', content: text('b') }),
  call('replace_in_file', { path: 'c.txt', oldText: 'two', newText: 'three' }),
  call('run_terminal_command', { command }),
  call('rename_file', { path: 'd.txt', newPath: 'new/d.txt' }),
  call('delete_file', { path: 'e.txt' }),
  call('write_file', { path: 'a.txt', content: text('last') }),
];

/** Valid contents of each file at any time; null if the file may be missing. */
const wholes: Record<string, readonly (string | null)[]> = {
  'a.txt': [text('a'), text('first'), text('last')],
  'new/b.txt': [null, text('b')],
  'c.txt': ['one\ntwo\n', 'one\nthree\n'],
  'd.txt': [text('d'), null],
  'new/d.txt': [null, text('d')],
  'e.txt': [text('e'), null],
  'made.txt': [null, '', 'made', 'made whole'],
};
const done: Record<string, string> = {
  'a.txt': text('last'),
  'c.txt': 'one\nthree\n',
  'made.txt': 'made whole',
  'new/b.txt': text('b'),
  'new/d.txt': text('d'),
};

describe('a window that is killed in the middle of a run', () => {
  let bench: AgentBench;
  beforeEach(async () => {
    bench = await AgentBench.start({
      // The window is large enough for all tools.
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }],
      hasCheckpoints: true,
      settings: { 'agent.loadTools': false },
      questions: { replace: async () => true, remove: async () => true },
    });
    for (const [name, content] of Object.entries(originals)) await writeFile(bench.file(name), content);
    // Repeats each call that has no result.
    bench.double.onChat(({ messages }) => {
      const results = messages.filter(({ role, content }) => role === 'tool' && !content.startsWith('Interrupted'));
      const next = steps[results.length];
      return next ? [next] : 'Done. [TASK_COMPLETE]';
    });
  });
  afterEach(() => bench.stop());

  const read = (name: string): Promise<string | null> => readFile(bench.file(name), 'utf8').catch(() => null);

  async function disk(): Promise<Record<string, string | null>> {
    const found = await readdir(bench.file('.'), { recursive: true, withFileTypes: true });
    const names = found
      .filter((one) => one.isFile())
      .map((one) => path.relative(bench.file('.'), path.join(one.parentPath, one.name)));
    return Object.fromEntries(await Promise.all(names.sort().map(async (name) => [name, await read(name)] as const)));
  }

  /** Runs the task in another process and kills it shortly after `changes` log changes, or when the run is over. */
  async function killed(changes: number): Promise<string> {
    const { root, workspace } = bench.folders;
    const child = fork(path.join(__dirname, 'processes/running.js'), [root, workspace, bench.double.url], { execArgv: [] });
    let heard = 0;
    let sessionId = '';
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The window ended with ${String(code)}`)));
      child.on('message', (message) => {
        if (typeof message === 'object') ({ sessionId } = message as { sessionId: string });
        else heard += 1;
        if (sessionId !== '' && (heard >= changes || message === 'over')) resolve();
      });
    });
    await sleep(new Chance(runSeed() * 100 + changes).below(40));
    child.kill('SIGKILL');
    assert.equal(await exitOf(child), 'SIGKILL');
    return sessionId;
  }

  for (const changes of [1, 5, 9, 13, 17, 21, 25, 29]) {
    it(`leaves every file whole, what was touched in store, and a chat that goes on (after ${changes} changes of its log)`, async () => {
      const sessionId = await killed(changes);
      // The command ends with its window, but possibly a moment later.
      await until(() => !execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).includes(command));
      await removeUnfinishedWrites(bench.storageFolder(), Date.now(), silentLogger);

      const left = await disk();
      for (const name of Object.keys({ ...originals, ...left })) {
        assert.ok(wholes[name]?.includes(left[name] ?? null), `${name} is whole`);
        if (left[name] === originals[name] || name === 'made.txt' || name === 'new/d.txt') continue;
        const [first] = (await bench.database.fileSnapshots.pending(sessionId)).filter(({ shown }) => shown === name);
        assert.ok(first, `${name} was touched and has a snapshot`);
        const before = first.before && Buffer.from(await bench.snapshots.get(first.before.hash)).toString();
        assert.ok(before === (originals[name] ?? null), `what ${name} was is kept`);
      }
      assert.ok(left['d.txt'] ?? left['new/d.txt'], 'what is being moved is there');

      const { entries } = await bench.database.log.read(sessionId, 0);
      const { state } = await bench.controller.runState(sessionId);
      if (state !== 'idle') {
        assert.equal(state, 'interrupted');
        assert.equal(reduceTimeline(entries, { isLive: false }).turns.at(-1)?.outcome, 'interrupted');
        await bench.controller.continueRun(sessionId);
        await allowUntilOver(bench, sessionId, entries.at(-1)?.seq ?? 0);
      }
      const whole = reduceTimeline((await bench.database.log.read(sessionId, 0)).entries, { isLive: false });
      assert.equal(whole.turns.at(-1)?.outcome, 'done');
      assert.deepEqual(await disk(), done, outline(whole).join('\n'));

      assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
      assert.deepEqual(await disk(), { ...originals, 'made.txt': 'made whole' });
      await bench.checkReferences();
    });
  }
});
