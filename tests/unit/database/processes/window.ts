import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineClient } from '../../../../src/services/checkpoint/engineClient';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { createOwner } from '../../../../src/services/database/windowOwner';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { checkpointWorkerPath, newSession, userInput, workerPath } from '../support/stores';

/**
 * `window <directory> <workspace> <sessionId> <name> <rounds> [collects]`: a whole window that appends to the shared session and to one of
 * its own, searches, streams and takes checkpoints, and perhaps collects garbage, beside whoever else does. Whatever rejects ends it.
 */
async function main([directory = '', root = '', shared = '', name = '', rounds = '0', collects]: string[]): Promise<void> {
  const around = { directory, owner: createOwner(), logger: silentLogger };
  const damaged = (failure: Error): void => {
    throw failure;
  };
  const database = new DatabaseService({ ...around, clock: systemClock, workerPath, onDamage: damaged });
  const engine = new EngineClient({ ...around, workerPath: checkpointWorkerPath, onDamage: damaged });
  await database.initialize();
  process.send?.('ready');
  await new Promise((resolve) => process.once('message', resolve));

  const { id: own } = await database.sessions.create(newSession(name));
  const workspace = { roots: [root], exclude: [], maxFileBytes: 1_000_000 };
  const taken: string[] = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    mkdirSync(path.join(root, name), { recursive: true });
    writeFileSync(path.join(root, name, `file${round % 7}.txt`), `${name} ${round} `.repeat(500));
    await database.sessions.claim(own);
    const open = await database.log.open(own, { type: 'assistant_output', data: {} });
    open.write(`answer${name}${round}`);
    const work = [
      database.log.append(shared, userInput(`note ${name}${round}`)),
      database.log.appendAll(own, [userInput(`own ${name}${round}`)]),
      database.queries.recent(shared, 20),
      engine
        .call('takeNow', own, 'manual', `${name} ${round}`, workspace)
        .then((infos) => taken.push(...infos.map(({ id }) => id))),
      ...(collects === undefined ? [] : [engine.call('collectGarbage')]),
    ];
    await Promise.all(work);
    await open.close({ end: 'complete' });
    const { found } = await database.search({ query: `${name}${round}`, offset: 0, limit: 5 });
    if (found.length === 0) throw new Error(`${name}${round} was not found`);
    await database.sessions.release(own, 'idle');
  }
  process.send?.({ own, taken });
  await engine.dispose();
  await database.dispose();
  process.disconnect?.();
}

void main(process.argv.slice(2));
