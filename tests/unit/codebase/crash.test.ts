import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Chance } from '../../support/hostile';
import { rounds, runSeed } from '../../support/rounds';
import { newSession, userInput, Workbench } from '../database/support/stores';
import { CodebaseBench } from './codebaseBench';
import { openMessages } from './processes/messageIndexer';

/** `npm run test:crash` sets a higher number. */
const kills = Number(process.env['INDEX_ROUNDS'] ?? rounds(5));
/** Selects the moments of the kills. */
const seed = runSeed();
const indexer = path.join(__dirname, 'processes/indexer.js');

describe('an index whose window is killed', () => {
  let bench: CodebaseBench;
  afterEach(() => bench.stop());

  it(`is whole at the next start, at whatever moment, SEED=${seed}`, async function () {
    this.timeout(0);
    const random = new Chance(seed);
    bench = await CodebaseBench.start();
    const count = 150;
    for (let index = 0; index < count; index += 1)
      await bench.write(`f${index}.ts`, `export function unique${index}() {\n  return 'apple';\n}\n`);
    for (let round = 0; round < kills; round += 1) {
      await bench.codebase.dispose();
      const child = spawn(process.execPath, [indexer, bench.folders[0]?.path ?? '', bench.directory], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await setTimeout(random.below(700));
      child.kill('SIGKILL');
      await once(child, 'exit');
      bench.codebase = bench.open();
      await bench.codebase.settled();
      const [found] = await bench.codebase.states();
      assert.deepEqual(
        [found?.state.files, found?.state.chunks, found?.state.isKeptElsewhere],
        [count, count, false],
        `round ${round}`,
      );
      for (const index of [0, 77, count - 1]) assert.equal((await bench.paths(`unique${index}`))[0], `f${index}.ts`);
    }
  });
});

describe('the vectors of conversations whose window is killed', () => {
  const stores = new Workbench();
  afterEach(() => stores.clean());

  it(`are whole at the next start, at whatever moment, SEED=${seed}`, async function () {
    this.timeout(0);
    const random = new Chance(seed);
    const directory = stores.folder();
    const database = await stores.service(directory);
    const count = 60;
    for (let session = 0; session < 3; session += 1) {
      const { id } = await database.sessions.create(newSession(`Session ${session}`));
      for (let index = 0; index < count / 3; index += 1) await database.log.append(id, userInput(`Message ${session} ${index}`));
    }
    for (let round = 0; round < kills; round += 1) {
      const child = spawn(process.execPath, [path.join(__dirname, 'processes/messageIndexer.js'), directory], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await setTimeout(random.below(400));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const messages = openMessages(directory);
      await messages.indexMessages();
      const { messages: found, vectors } = await messages.state();
      await messages.close();
      assert.deepEqual([found, vectors], [count, count], `round ${round}`);
    }
  });
});
