import { once } from 'node:events';
import { EngineClient } from '../../../../src/services/checkpoint/host/engineClient';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { silentLogger } from '../../../../src/utils/logger';
import { laterWorkerPath } from '../support/stores';

/**
 * `collector <directory>`: repeatedly collects all garbage. Reports the running total and the last message that arrived before each
 * collection. Exits on the message `stop`.
 */
async function main([directory = '']: string[]): Promise<void> {
  const engine = new EngineClient({
    directory,
    owner: createOwner(),
    logger: silentLogger,
    workerPath: laterWorkerPath,
    onDamage: (failure) => {
      throw failure;
    },
  });
  // The parent may have failed.
  process.once('disconnect', () => process.exit());
  await engine.care.usage();
  let objects = 0;
  let bytes = 0;
  process.send?.('ready');
  let [message] = (await once(process, 'message')) as [unknown];
  process.on('message', (next) => (message = next));
  for (let answered: unknown; answered !== 'stop';) {
    answered = message;
    const collected = await engine.care.collectGarbage();
    objects += collected.objects;
    bytes += collected.bytes;
    process.send?.({ answered, objects, bytes });
  }
  await engine.dispose();
  process.disconnect?.();
}

void main(process.argv.slice(2));
