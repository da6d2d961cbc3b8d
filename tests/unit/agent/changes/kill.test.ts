import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeUnfinishedWrites } from '../../../../src/services/files/unfinishedWrites';
import { silentLogger } from '../../../../src/utils/logger';
import { Chance } from '../../../support/hostile';
import { runSeed } from '../../../support/rounds';
import { exitOf } from '../../database/processes/child';
import { AgentBench } from '../support/agentBench';

const original = (name: string): string => `${name}: as it was\n`.repeat(500);

describe('a window that is killed while the agent changes files', () => {
  let bench: AgentBench;
  beforeEach(
    async () => (bench = await AgentBench.start({ questions: { replace: async () => true, remove: async () => true } })),
  );
  afterEach(() => bench.stop());

  for (let round = 1; round <= 8; round += 1) {
    const seed = runSeed() * 100 + round;
    it(`leaves each as it was or as it was written, with what it was in store (round ${round}, seed ${seed})`, async () => {
      const random = new Chance(seed);
      const names = ['0.txt', '1.txt', '2.txt'];
      for (const name of names) await writeFile(bench.file(name), original(name));
      bench.double.script.push('Hello.');
      const sessionId = await bench.ask('Begin');
      const parameters = [bench.storageFolder(), bench.file('.'), sessionId, String(seed)];
      const child = fork(path.join(__dirname, 'processes/changer.js'), parameters, {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        execArgv: [],
      });
      const goal = 1 + random.below(12);
      await new Promise<void>((resolve) => child.on('message', (version) => version === goal && resolve()));
      // Kills the process at a random moment during the next changes.
      await new Promise((resolve) => setTimeout(resolve, random.below(60)));
      child.kill('SIGKILL');
      assert.equal(await exitOf(child), 'SIGKILL');

      const pending = await bench.database.fileSnapshots.pending(sessionId);
      const held = new Map<string, string>();
      for (const { shown, before } of pending)
        if (before !== null && !held.has(shown)) held.set(shown, Buffer.from(await bench.snapshots.get(before.hash)).toString());
      const touched = new Set(pending.map(({ shown }) => shown));
      for (const name of ['0.txt', '1.txt', '2.txt', '3.txt', '4.txt', '5.txt']) {
        const content = await readFile(bench.file(name), 'utf8').catch(() => null);
        const before = names.includes(name) ? original(name) : null;
        if (content !== before) {
          assert.ok(touched.has(name), `${name} was changed and has a snapshot`);
          assert.equal(held.get(name) ?? null, before, name);
        }
        if (content === null || content === before) continue;
        const [line = ''] = content.split('\n', 1);
        assert.ok(/^version \d+$/.test(line) && content === `${line}\n`.repeat(20_000), `${name} is whole`);
      }

      assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
      for (const name of names) assert.equal(await readFile(bench.file(name), 'utf8'), original(name));
      await removeUnfinishedWrites(bench.storageFolder(), Date.now(), silentLogger);
      assert.deepEqual((await readdir(bench.file('.'))).sort(), names);
    });
  }
});
