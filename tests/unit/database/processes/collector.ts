import { once } from 'node:events';
import { EngineClient } from '../../../../src/services/checkpoint/host/engineClient';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { silentLogger } from '../../../../src/utils/logger';
import { laterWorkerPath } from '../support/stores';

/**
 * `collector <directory>`: collects garbage over and over, each time all that nothing refers to, and tells after each time how much it was
 * in all, with the last message that it had before it began. The message `stop` makes it end.
 */
async function main([directory = '']: string[]): Promise<void> {
  const engine = new EngineClient({
    ...{ directory, owner: createOwner(), logger: silentLogger, workerPath: laterWorkerPath },
    onDamage: (failure) => {
      throw failure;
    },
  });
  // Whoever it was started by may have failed.
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
