import { execFileSync } from 'node:child_process';
import { engineOn } from './benchEngine';

/** Measures the first checkpoint of a storage in a fresh process, as in a window that has just opened. Returns milliseconds. */
export function measureFirst(root: string, storage: string): number {
  return Number(execFileSync(process.execPath, ['--no-warnings', __filename, root, storage], { encoding: 'utf8' }));
}

function main(root: string, storage: string): void {
  const engine = engineOn(storage);
  const start = performance.now();
  engine.checkpoints.takeNow('session', 'manual', 'First', { roots: [root], exclude: [], maxFileBytes: 50_000_000 });
  const ms = performance.now() - start;
  // Closes the storage, so that it is on disk as a window leaves it.
  engine.dispose();
  console.log(ms);
}

if (require.main === module) main(process.argv[2] ?? '', process.argv[3] ?? '');
