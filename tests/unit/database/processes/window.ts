import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineClient } from '../../../../src/services/checkpoint/host/engineClient';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { checkpointWorkerPath, newSession, userInput, workerPath } from '../support/stores';
import { returningContent } from '../support/returningContent';

/**
 * `window <directory> <workspace> <sessionId> <name> <rounds> <roundsAtATime>`: complete window that runs in parallel with others. Appends
 * to the shared session and to its own, searches, streams, takes checkpoints of recurring contents, and removes all but the last one. After
 * `roundsAtATime` rounds, waits for a message. Exits on any rejection or mismatch.
 */
async function main([
  directory = '',
  root = '',
  shared = '',
  name = '',
  rounds = '0',
  roundsAtATime = '1',
]: string[]): Promise<void> {
  const damaged = (failure: Error): void => {
    throw failure;
  };
  const opened = () =>
    new EngineClient({
      directory,
      owner: createOwner(),
      logger: silentLogger,
      workerPath: checkpointWorkerPath,
      onDamage: damaged,
    });
  const database = new DatabaseService({
    directory,
    owner: createOwner(),
    logger: silentLogger,
    clock: systemClock,
    workerPath,
    onDamage: damaged,
  });
  let engine = opened();
  await database.initialize();
  process.send?.('ready');
  await once(process, 'message');

  const { id: own } = await database.sessions.create(newSession(name));
  const workspace = { roots: [root], exclude: [], maxFileBytes: 1_000_000 };
  const file = `${name}/file`;
  mkdirSync(path.join(root, name), { recursive: true });
  let kept: string | undefined;
  for (let round = 0; round < Number(rounds); round += 1) {
    const content = returningContent(round);
    writeFileSync(path.join(root, file), content);
    await database.sessions.claim(own);
    const open = await database.log.open(own, { type: 'assistant_output', data: {} });
    open.write(`answer${name}${round}`);
    const [infos] = await Promise.all([
      engine.checkpoints.takeNow(own, 'manual', `${name} ${round}`, workspace),
      database.log.append(shared, userInput(`note ${name}${round}`)),
      database.log.appendAll(own, [userInput(`own ${name}${round}`)]),
      database.queries.recent(shared, 20),
    ]);
    await open.close({ end: 'complete' });
    const { found } = await database.search({ query: `${name}${round}`, offset: 0, limit: 5 });
    assert.ok(found.length > 0, `${name}${round} was not found`);
    await database.sessions.release(own, 'idle');

    const taken = infos.at(-1)?.id ?? '';
    if (kept !== undefined) await engine.checkpoints.remove(kept);
    kept = taken;
    assert.deepEqual(await engine.checkpoints.fileAt(taken, root, file), new Uint8Array(content), `${name} ${round}`);
    // The contents of the removed checkpoints can now be collected.
    if ((round + 1) % Number(roundsAtATime) === 0) {
      await engine.dispose();
      process.send?.('paused');
      await once(process, 'message');
      engine = opened();
    }
  }
  process.send?.({ own, kept, content: returningContent(Number(rounds) - 1).toString('base64') });
  await engine.dispose();
  await database.dispose();
  process.disconnect?.();
}

void main(process.argv.slice(2));
