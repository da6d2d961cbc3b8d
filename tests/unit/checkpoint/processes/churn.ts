import { chmodSync, linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CheckpointEngine } from '../../../../src/services/checkpoint/engine/checkpointEngine';
import { nodeFileSystem, type FileSystem } from '../../../../src/utils/files/fileSystem';
import type { RestoreResult } from '../../../../src/services/checkpoint/engine/restore/restoreExecution';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { userInput, workerPath } from '../../database/support/stores';
import { Seeded } from '../support/seeded';
import { diskDigest, type Deed, type Report } from '../support/churnReport';
import { writeEarlier } from '../support/earlierVersion';

/**
 * `churn <storage> <workspace> <seed> <preferred> <fuse> <outside>`: runs random operations (file changes, checkpoints, restores, undos,
 * approvals, resets, removals, collections, appends, searches, migrations) and reports them until it is killed. Runs `preferred` more
 * often. If `fuse` is over 0, kills itself before that disk operation, counted from the start of a preferred operation.
 */
async function main([
  storage = '',
  root = '',
  seed = '1',
  preferred = 'taking',
  fuse = '0',
  outside = '',
]: string[]): Promise<void> {
  const random = new Seeded(Number(seed));
  const environment = { home: storage, configHome: storage, systemConfig: path.join(storage, 'none') };
  let churnedHours = 0;
  // Makes all garbage old enough to be collected.
  const clock = { ...systemClock, now: () => Date.now() + churnedHours * 3_600_000 };
  let left = 0;
  const works = Object.entries(nodeFileSystem) as [string, (...given: unknown[]) => unknown][];
  const deadly = works.map(([name, work]) => [
    name,
    (...given: unknown[]) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return work(...given);
    },
  ]);
  const fileSystem = Object.fromEntries(deadly) as FileSystem;
  const surroundings = { environment, fileSystem, clock, isCancelled: () => false };
  const engine = new CheckpointEngine({ directory: storage, owner: createOwner(), ...surroundings });
  const service = (directory: string) =>
    new DatabaseService({ directory, owner: createOwner(), clock: systemClock, logger: silentLogger, workerPath });
  const database = service(storage);
  await database.initialize();
  const workspace = { roots: [root], exclude: [], maxFileBytes: 1_000_000 };
  const all = { overwrite: 'all' } as const;
  const tell = (report: Report): void => {
    process.send?.(report);
    if (report.kind === preferred && left <= 0) left = Number(fuse);
  };
  engine.restores.recover(workspace);
  tell({ kind: 'ready' });

  const changeFiles = (): void => {
    for (let count = 1 + random.below(6); count > 0; count -= 1) {
      const folder = path.join(root, `folder${random.below(3)}`);
      // A folder may turn into a file or link, and vice versa.
      if (random.chance(12)) {
        rmSync(folder, { recursive: true, force: true });
        const targets = [`folder${random.below(3)}`, outside, path.basename(folder), path.join(outside, 'deep')];
        if (random.chance(25)) writeFileSync(folder, String(random.below(1e9)));
        else symlinkSync(random.pick(targets), folder);
        continue;
      }
      if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(folder);
      const file = path.join(folder, random.chance(15) ? 'deep' : `file${random.below(12)}`, random.chance(15) ? 'below' : '');
      const above = path.dirname(file);
      if (above !== folder && lstatSync(above, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(above);
      if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true) rmSync(file, { recursive: true });
      mkdirSync(above, { recursive: true });
      // Makes room for a file with another mode, or for a link.
      if (random.chance(40)) rmSync(file, { force: true });
      if (random.chance(25)) continue;
      if (random.chance(15)) {
        rmSync(file, { force: true });
        symlinkSync(`file${random.below(12)}-elsewhere`, file);
        continue;
      }
      rmSync(file, { force: true });
      // Creates a hard link to a file outside the workspace. A restore must not write through it.
      if (random.chance(10)) {
        linkSync(path.join(outside, `file${random.below(12)}`), file);
        continue;
      }
      // Recreated files may get other line endings.
      if (random.chance(20)) {
        writeFileSync(file, ['one', 'two', ''].join(random.chance(50) ? '\r\n' : '\n'));
        continue;
      }
      writeFileSync(file, String(random.below(1e9)).repeat(1 + random.below(2_000)));
      if (random.chance(20)) chmodSync(file, 0o755);
    }
  };
  const taken = (id: string): void => tell({ kind: 'taken', id, digest: diskDigest(root) });
  const restore = (target: string, work: () => RestoreResult): RestoreResult => {
    tell({ kind: 'restoring', target, disk: diskDigest(root) });
    const result = work();
    taken(result.afterId);
    return result;
  };
  const approved = () => engine.approvals.status('session', workspace).approvedCheckpointId ?? '';
  const known = () => engine.checkpoints.list('session').filter(({ state }) => state === 'taken');
  const deed: Record<Deed, () => void | Promise<void>> = {
    taking: () => {
      changeFiles();
      tell({ kind: 'taking' });
      if (random.chance(15) && known().length > 0) taken(engine.approvals.approve('session', workspace, null).checkpointId);
      else taken(engine.checkpoints.takeNow('session', 'manual', 'Churned', workspace).at(-1)?.id ?? '');
    },
    restoring: () => {
      if (known().length === 0) return;
      changeFiles();
      if (random.chance(20)) restore(approved(), () => engine.restores.restore('session', { kind: 'approved' }, workspace, all));
      const target = random.pick(known()).id;
      const { operationId, beforeId } = restore(target, () =>
        engine.restores.restore('session', { kind: 'checkpoint', id: target }, workspace, all),
      );
      if (random.chance(40))
        restore(beforeId, () => engine.restores.restore('session', { kind: 'restore', id: operationId }, workspace, all));
    },
    removing: () => {
      if (known().length === 0) return;
      const { id } = random.pick(known());
      tell({ kind: 'removing', id });
      try {
        engine.checkpoints.remove(id);
      } catch {
        // An approved state cannot be removed.
      }
    },
    collecting: () => {
      tell({ kind: 'collecting' });
      churnedHours += 2;
      engine.care.collectGarbage(random.chance(50) ? 'full' : 'lazy');
    },
    appended: async () => {
      if (random.chance(25)) await database.search({ query: 'note', offset: 0, limit: 5 });
      const inputs = Array.from({ length: 1 + random.below(4) }, () => userInput(`note ${random.below(1e9)} `.repeat(30)));
      const open = await database.log.open('session', { type: 'assistant_output', data: {} });
      open.write('growing');
      const entries = await database.log.appendAll('session', inputs);
      for (const { id, content } of [...entries, await open.close({ end: 'complete' })])
        tell({ kind: 'appended', folder: storage, id, content });
    },
    /** Opens a database of an earlier version in a separate storage folder. */
    migrating: async () => {
      const folder = mkdtempSync(path.join(storage, 'earlier-'));
      for (const { id, content } of writeEarlier(folder, random)) tell({ kind: 'appended', folder, id, content });
      const migrated = service(folder);
      tell({ kind: 'migrating' });
      await migrated.initialize();
      const { id, content } = await migrated.log.append('session', userInput('after'));
      tell({ kind: 'appended', folder, id, content });
      await migrated.dispose();
    },
  };
  const usual: Deed[] = ['taking', 'taking', 'taking', 'taking', 'restoring', 'restoring', 'removing', 'collecting', 'appended'];

  for (;;) {
    await deed[random.chance(40) ? (preferred as Deed) : random.pick(usual)]();
    await new Promise(setImmediate);
  }
}

void main(process.argv.slice(2));
