import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CheckpointEngine } from '../../../../src/services/checkpoint/checkpointEngine';
import { nodeFileSystem } from '../../../../src/services/checkpoint/fileSystem';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { createOwner } from '../../../../src/services/database/windowOwner';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { userInput, workerPath } from '../../database/support/stores';
import { Seeded } from '../support/seeded';
import { digestOf, type Report } from '../support/churnReport';
import { writeEarlier } from '../support/earlierVersion';

/**
 * `churn <storage> <workspace> <seed>`: changes files, takes checkpoints, restores, removes, collects, appends, searches and migrates
 * until it is killed, telling what is done.
 */
async function main([storage = '', root = '', seed = '1']: string[]): Promise<void> {
  const random = new Seeded(Number(seed));
  const environment = { home: storage, configHome: storage, systemConfig: path.join(storage, 'none') };
  let churnedHours = 0;
  // Everything that nothing refers to is old enough.
  const clock = { ...systemClock, now: () => Date.now() + churnedHours * 3_600_000 };
  const surroundings = { environment, fileSystem: nodeFileSystem, clock, isCancelled: () => false };
  const engine = new CheckpointEngine({ directory: storage, owner: createOwner(), ...surroundings });
  const service = (directory: string) =>
    new DatabaseService({ directory, owner: createOwner(), clock: systemClock, logger: silentLogger, workerPath });
  const database = service(storage);
  await database.initialize();
  const workspace = { roots: [root], exclude: [], maxFileBytes: 1_000_000 };
  const tell = (report: Report) => process.send?.(report);
  engine.recover(workspace);
  tell({ kind: 'ready' });

  const changeFiles = (): void => {
    for (let count = 1 + random.below(6); count > 0; count -= 1) {
      const file = path.join(root, `folder${random.below(3)}`, `file${random.below(12)}`);
      mkdirSync(path.dirname(file), { recursive: true });
      if (random.chance(25)) rmSync(file, { force: true });
      else writeFileSync(file, String(random.below(1e9)).repeat(1 + random.below(2_000)));
    }
  };
  const take = (): void => {
    const id = engine.takeNow('session', 'manual', 'Churned', workspace).at(-1)?.id ?? '';
    tell({ kind: 'taken', id, digest: digestOf(engine.files(id)) });
  };
  const append = async (): Promise<void> => {
    const inputs = Array.from({ length: 1 + random.below(4) }, () => userInput(`note ${random.below(1e9)} `.repeat(30)));
    const open = await database.log.open('session', { type: 'assistant_output', data: {} });
    open.write('growing');
    const entries = await database.log.appendAll('session', inputs);
    for (const { id, content } of [...entries, await open.close({ end: 'complete' })])
      tell({ kind: 'appended', folder: storage, id, content });
  };
  const restore = (id: string): void => {
    const { afterId } = engine.restore('session', id, workspace, { overwrite: 'all' });
    tell({ kind: 'taken', id: afterId, digest: digestOf(engine.files(afterId)) });
  };
  const remove = (id: string): void => {
    tell({ kind: 'removing', id });
    try {
      engine.remove(id);
    } catch {
      // An approved state stays.
    }
  };
  const collect = (): void => {
    churnedHours += 2;
    engine.collectGarbage();
  };
  /** Opens what an earlier version left, in a storage of its own. */
  const migrate = async (): Promise<void> => {
    const folder = mkdtempSync(path.join(storage, 'earlier-'));
    for (const { id, content } of writeEarlier(folder, random)) tell({ kind: 'appended', folder, id, content });
    const migrated = service(folder);
    await migrated.initialize();
    const { id, content } = await migrated.log.append('session', userInput('after'));
    tell({ kind: 'appended', folder, id, content });
    await migrated.dispose();
  };

  for (;;) {
    const known = engine.list('session').filter(({ state }) => state === 'taken');
    const target = known.length === 0 ? undefined : random.pick(known).id;
    const action = random.below(14);
    if (action < 5 || target === undefined) {
      changeFiles();
      take();
    } else if (action < 7) restore(target);
    else if (action < 8) remove(target);
    else if (action < 9) collect();
    else if (action < 12) await append();
    else if (action < 13) await database.search({ query: 'note', offset: 0, limit: 5 });
    else await migrate();
    await new Promise(setImmediate);
  }
}

void main(process.argv.slice(2));
