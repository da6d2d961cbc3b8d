import { DatabaseService } from '../../../../src/services/database/databaseService';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { newSession, workerPath } from '../support/stores';

/** `opener <directory>`: when it gets a message, opens the database as a new window does, and adds a session. */
async function main([directory = '']: string[]): Promise<void> {
  process.send?.('ready');
  await new Promise((resolve) => process.once('message', resolve));
  const owner = String(process.pid);
  const service = new DatabaseService({ directory, owner, clock: systemClock, logger: silentLogger, workerPath });
  await service.initialize();
  await service.sessions.create(newSession(owner));
  await service.dispose();
  process.disconnect?.();
}

void main(process.argv.slice(2));
