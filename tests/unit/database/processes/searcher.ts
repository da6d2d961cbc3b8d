import { DatabaseService } from '../../../../src/services/database/databaseService';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { workerPath } from '../support/stores';

/** `searcher <directory> <sessionId> <name> <count>`: appends `count` entries and searches for each, in parallel with other processes. */
async function main([directory = '', sessionId = '', name = '', count = '0']: string[]): Promise<void> {
  const service = new DatabaseService({ directory, owner: name, clock: systemClock, logger: silentLogger, workerPath });
  await service.initialize();
  process.send?.('ready');
  await new Promise((resolve) => process.once('message', resolve));
  for (let index = 0; index < Number(count); index += 1) {
    await service.log.append(sessionId, {
      type: 'user_input',
      content: `note ${name}${index}`,
      data: { mode: 'ask', attachments: [] },
    });
    const { found } = await service.search({ query: `${name}${index}`, offset: 0, limit: 5 });
    if (found.length !== 1) throw new Error(`${name}${index} was not found`);
  }
  await service.dispose();
  process.disconnect?.();
}

void main(process.argv.slice(2));
