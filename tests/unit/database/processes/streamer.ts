import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { newSession, userInput, workerPath } from '../support/stores';

/** `streamer <directory>`: streams a word every few milliseconds and reports each, until killed. */
async function main([directory = '']: string[]): Promise<void> {
  const service = new DatabaseService({ directory, owner: 'streamer', clock: systemClock, logger: silentLogger, workerPath });
  await service.initialize();
  const { id } = await service.sessions.create(newSession());
  await service.log.append(id, userInput('before'));
  await service.sessions.claim(id);
  const open = await service.log.open(id, { type: 'assistant_output', data: {} });
  for (let index = 0; ; index += 1) {
    open.write(`word${index} `);
    process.send?.({ index, at: Date.now(), sessionId: id });
    await sleep(5);
  }
}

void main(process.argv.slice(2));
