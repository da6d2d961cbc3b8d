import { DatabaseService } from '../../../../src/services/database/databaseService';
import { silentLogger } from '../../../../src/utils/logger';
import { ManualClock } from '../support/manualClock';
import { newSession, userInput, workerPath } from '../support/stores';

/** `streamer <directory>`: streams a word every few milliseconds of its own clock and reports each word, until it is killed. */
async function main([directory = '']: string[]): Promise<void> {
  const clock = new ManualClock(Date.now());
  const service = new DatabaseService({ directory, owner: 'streamer', clock, logger: silentLogger, workerPath });
  await service.initialize();
  const { id } = await service.sessions.create(newSession());
  await service.log.append(id, userInput('before'));
  await service.sessions.claim(id);
  const open = await service.log.open(id, { type: 'assistant_output', data: {} });
  for (let index = 0; ; index += 1) {
    open.write(`word${index} `);
    const report = { index, at: clock.now(), sessionId: id };
    await new Promise((resolve) => process.send?.(report, resolve));
    await clock.advance(5);
  }
}

void main(process.argv.slice(2));
