import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CheckpointEngine } from '../../../../src/services/checkpoint/checkpointEngine';
import { nodeFileSystem } from '../../../../src/services/checkpoint/fileSystem';
import { createOwner } from '../../../../src/services/database/windowOwner';
import { systemClock } from '../../../../src/utils/clock';
import { Seeded } from '../support/seeded';
import { digestOf, type Report } from '../support/churnReport';

/** `churn <storage> <workspace> <seed>`: changes files, takes checkpoints, restores, removes and collects until it is killed, telling what is done. */
function main([storage = '', root = '', seed = '1']: string[]): void {
  const random = new Seeded(Number(seed));
  const environment = { home: storage, configHome: storage, systemConfig: path.join(storage, 'none') };
  let churnedHours = 0;
  // Everything that nothing refers to is old enough.
  const clock = { ...systemClock, now: () => Date.now() + churnedHours * 3_600_000 };
  const surroundings = { environment, fileSystem: nodeFileSystem, clock, isCancelled: () => false };
  const engine = new CheckpointEngine({ directory: storage, owner: createOwner(), ...surroundings });
  const workspace = { roots: [root], exclude: [], maxFileBytes: 1_000_000 };
  const tell = (report: Report) => process.send?.(report);
  engine.recover(workspace);
  tell({ kind: 'ready' });
  const step = (): void => {
    for (let count = 1 + random.below(6); count > 0; count -= 1) {
      const file = path.join(root, `folder${random.below(3)}`, `file${random.below(12)}`);
      mkdirSync(path.dirname(file), { recursive: true });
      if (random.chance(25)) rmSync(file, { force: true });
      else writeFileSync(file, String(random.below(1e9)).repeat(1 + random.below(2_000)));
    }
    const known = engine.list('session').filter(({ state }) => state === 'taken');
    const target = known.length === 0 ? undefined : random.pick(known);
    const action = random.below(10);
    if (action < 5 || target === undefined) {
      const [id = ''] = engine
        .takeNow('session', 'manual', 'Churned', workspace)
        .map((info) => info.id)
        .slice(-1);
      tell({ kind: 'taken', id, digest: digestOf(engine.files(id)) });
    } else if (action < 7) {
      const { afterId } = engine.restore('session', target.id, workspace, { overwrite: 'all' });
      tell({ kind: 'taken', id: afterId, digest: digestOf(engine.files(afterId)) });
    } else if (action < 9) {
      tell({ kind: 'removing', id: target.id });
      try {
        engine.remove(target.id);
      } catch {
        // An approved state stays.
      }
    } else {
      churnedHours += 2;
      engine.collectGarbage();
    }
    setImmediate(step);
  };
  step();
}

main(process.argv.slice(2));
