import { execFileSync } from 'node:child_process';
import { engineOn } from './benchEngine';

/** Milliseconds of a storage's first checkpoint, in a process that has done nothing before: as in a window that has just been opened. */
export function measureFirst(root: string, storage: string): number {
  return Number(execFileSync(process.execPath, ['--no-warnings', __filename, root, storage], { encoding: 'utf8' }));
}

function main(root: string, storage: string): void {
  const engine = engineOn(storage);
  const start = performance.now();
  engine.checkpoints.takeNow('session', 'manual', 'First', { roots: [root], exclude: [], maxFileBytes: 50_000_000 });
  const ms = performance.now() - start;
  // All that a window leaves on the disk.
  engine.dispose();
  console.log(ms);
}

if (require.main === module) main(process.argv[2] ?? '', process.argv[3] ?? '');
