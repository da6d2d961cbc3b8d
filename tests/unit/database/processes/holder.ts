import { DatabaseService } from '../../../../src/services/database/databaseService';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { workerPath } from '../support/stores';

/** `holder <directory>`: window that keeps the database open until it gets a message or is killed. */
async function main([directory = '']: string[]): Promise<void> {
  const service = new DatabaseService({ directory, owner: 'holder', clock: systemClock, logger: silentLogger, workerPath });
  await service.initialize();
  process.send?.('open');
  await new Promise((resolve) => process.once('message', resolve));
  await service.dispose();
  process.disconnect?.();
}

void main(process.argv.slice(2));
