import { DatabaseService } from '../../../../src/services/database/databaseService';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { workerPath } from '../support/stores';

/** `writer <directory> <sessionId> <name> <count>`: appends `count` entries and streams one entry, in parallel with other processes. */
async function main([directory = '', sessionId = '', name = '', count = '0']: string[]): Promise<void> {
  const service = new DatabaseService({ directory, owner: name, clock: systemClock, logger: silentLogger, workerPath });
  await service.initialize();
  process.send?.('ready');
  await new Promise((resolve) => process.once('message', resolve));
  const open = await service.log.open(sessionId, { type: 'assistant_output', data: {} });
  for (let index = 0; index < Number(count); index += 1) {
    open.write(`${name}${index} `);
    await service.log.append(sessionId, {
      type: 'user_input',
      content: `${name}${index}`,
      data: { mode: 'ask', attachments: [] },
    });
  }
  await open.close({ end: 'complete' });
  await service.dispose();
  process.disconnect?.();
}

void main(process.argv.slice(2));
