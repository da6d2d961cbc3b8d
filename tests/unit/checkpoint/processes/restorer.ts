import path from 'node:path';
import { CheckpointEngine } from '../../../../src/services/checkpoint/engine/checkpointEngine';
import { nodeFileSystem } from '../../../../src/utils/files/fileSystem';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { systemClock } from '../../../../src/utils/clock';

/** `restorer <storage> <workspace> <checkpoint> <operation> <count>`: restores a checkpoint. Exits before the nth call of `operation`. */
function main([storage = '', root = '', checkpointId = '', operation = '', count = '1']: string[]): void {
  let left = Number(count);
  const works = nodeFileSystem as unknown as Record<string, (...given: unknown[]) => unknown>;
  const deadly = (...given: unknown[]): unknown => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return works[operation]?.(...given);
  };
  const engine = new CheckpointEngine({
    directory: storage,
    owner: createOwner(),
    environment: { home: storage, configHome: storage, systemConfig: path.join(storage, 'none') },
    fileSystem: { ...nodeFileSystem, [operation]: deadly },
    clock: systemClock,
    isCancelled: () => false,
  });
  const workspace = { roots: [root], exclude: [], maxFileBytes: 10_000_000 };
  engine.restores.restore('session', { kind: 'checkpoint', id: checkpointId }, workspace, { overwrite: 'all' });
}

main(process.argv.slice(2));
