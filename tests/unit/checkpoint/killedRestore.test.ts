import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { chmodSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { EngineBench, treeOf } from './support/engineBench';
import { exitOf } from '../database/processes/child';

const script = path.join(__dirname, 'processes', 'restorer.js');

describe('a restore whose process is killed', () => {
  for (const [operation, count] of [
    ['rename', 1],
    ['rename', 6],
    ['rename', 10],
    ['remove', 2],
    ['setMode', 1],
    ['sync', 8],
    ['syncFolder', 1],
  ] as const) {
    it(`is finished by the next window, and can be undone (before ${operation} ${count})`, async () => {
      const bench = new EngineBench();
      try {
        for (let file = 0; file < 10; file += 1) bench.write(`folder${file % 3}/file${file}`, `then ${file}`);
        bench.write('mode', 'same', 0o755);
        symlinkSync('mode', bench.at('link'));
        const checkpoint = bench.checkpoint('Then');
        const then = treeOf(bench.root);
        for (let file = 0; file < 8; file += 1) bench.write(`folder${file % 3}/file${file}`, `now ${file}`);
        rmSync(bench.at('folder2'), { recursive: true });
        rmSync(bench.at('link'));
        chmodSync(bench.at('mode'), 0o644);
        for (const name of ['new/one', 'new/two', 'three']) bench.write(name, 'new');
        const now = treeOf(bench.root);

        bench.engine.dispose();
        const child = fork(script, [bench.storage, bench.root, checkpoint, operation, String(count)], { execArgv: [] });
        assert.equal(await exitOf(child), 'SIGKILL');
        bench.engine = bench.opened();
        const cut = treeOf(bench.root);
        for (const [name, content] of Object.entries(cut))
          assert.ok([then[name], now[name]].includes(content) || name.includes('.ollama-copilot-'), name);
        assert.equal(bench.rows("SELECT id FROM operations WHERE state = 'running'").length, 1);

        const [recovered, ...more] = bench.engine.restores.recover(bench.workspace);
        assert.deepEqual([more, recovered?.steps.filter(({ outcome }) => outcome !== 'done')], [[], []]);
        assert.deepEqual(treeOf(bench.root), then);
        assert.deepEqual(bench.engine.restores.recover(bench.workspace), []);
        bench.engine.restores.restore('session', { kind: 'restore', id: recovered?.operationId ?? '' }, bench.workspace, {
          overwrite: 'all',
        });
        assert.deepEqual(treeOf(bench.root), now);
        // `folder2` may have been created before or after the kill.
        assert.equal(existsSync(bench.at('folder2')), false);
        assert.deepEqual(bench.engine.care.verify().problems, []);
      } finally {
        bench.clean();
      }
    });
  }
});
