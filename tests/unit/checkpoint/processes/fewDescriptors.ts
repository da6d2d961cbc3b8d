import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { CheckpointEngine } from '../../../../src/services/checkpoint/engine/checkpointEngine';
import { nodeFileSystem } from '../../../../src/utils/files/fileSystem';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { systemClock } from '../../../../src/utils/clock';

/**
 * `fewDescriptors <storage> <workspace> <checkpoint> <syncWorker>`: restores a checkpoint. Prints the number of completed steps and the
 * maximum number of open files.
 */
function main([storage = '', root = '', checkpointId = '', syncThreadPath = '']: string[]): void {
  const descriptors = '/proc/self/fd';
  let most: number | null = null;
  const engine = new CheckpointEngine({
    directory: storage,
    owner: createOwner(),
    environment: { home: storage, configHome: storage, systemConfig: path.join(storage, 'none') },
    fileSystem: {
      ...nodeFileSystem,
      rename: (from, to) => {
        if (existsSync(descriptors)) most = Math.max(most ?? 0, readdirSync(descriptors).length);
        nodeFileSystem.rename(from, to);
      },
    },
    clock: systemClock,
    isCancelled: () => false,
    syncThreadPath,
  });
  const workspace = { roots: [root], exclude: [], maxFileBytes: 10_000_000 };
  const { steps } = engine.restores.restore('session', { kind: 'checkpoint', id: checkpointId }, workspace, { overwrite: 'all' });
  process.stdout.write(JSON.stringify({ done: steps.filter(({ outcome }) => outcome === 'done').length, most }));
}

main(process.argv.slice(2));
