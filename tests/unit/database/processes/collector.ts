import { EngineClient } from '../../../../src/services/checkpoint/engineClient';
import { createOwner } from '../../../../src/services/database/windowOwner';
import { silentLogger } from '../../../../src/utils/logger';
import { laterWorkerPath } from '../support/stores';

/** `collector <directory>`: collects garbage over and over, each time all that nothing refers to, until it is told to stop; tells after each how much it was in all. */
async function main([directory = '']: string[]): Promise<void> {
  const engine = new EngineClient({
    ...{ directory, owner: createOwner(), logger: silentLogger, workerPath: laterWorkerPath },
    onDamage: (failure) => {
      throw failure;
    },
  });
  // Whoever it was started by may have failed.
  process.once('disconnect', () => process.exit());
  await engine.call('usage');
  let isOver = false;
  const collected = { objects: 0, bytes: 0 };
  process.send?.('ready');
  await new Promise((resolve) => process.once('message', resolve));
  process.once('message', () => (isOver = true));
  while (!isOver) {
    const { objects, bytes } = await engine.call('collectGarbage');
    collected.objects += objects;
    collected.bytes += bytes;
    process.send?.(collected);
  }
  await engine.dispose();
  process.disconnect?.();
}

void main(process.argv.slice(2));
