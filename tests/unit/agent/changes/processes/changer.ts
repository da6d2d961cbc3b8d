import path from 'node:path';
import { FileChanges } from '../../../../../src/services/files/fileChanges';
import { EngineClient } from '../../../../../src/services/checkpoint/host/engineClient';
import { WorkerSnapshotObjects } from '../../../../../src/services/checkpoint/host/snapshotObjects';
import { DatabaseService } from '../../../../../src/services/database/databaseService';
import { createOwner } from '../../../../../src/services/database/sessions/windowOwner';
import { UnfinishedWrites } from '../../../../../src/services/files/unfinishedWrites';
import { SnapshotKeeper } from '../../../../../src/services/review/snapshotKeeper';
import { systemClock } from '../../../../../src/utils/clock';
import { silentLogger as logger } from '../../../../../src/utils/logger';
import { Chance } from '../../../../support/hostile';
import { noEditors } from '../../support/editorDoubles';
import { workerPath } from '../../../database/support/stores';

/** `changer <storage> <workspace> <sessionId> <seed>`: changes, deletes and creates files like the tools, until it is killed. */
async function main([directory = '', workspace = '', sessionId = '', seed = '']: string[]): Promise<void> {
  const around = { directory, owner: 'the killed window', logger };
  const database = new DatabaseService({ ...around, clock: systemClock, workerPath });
  await database.initialize();
  const checkpointWorker = path.join(__dirname, '../../../../../src/services/checkpoint/engine/checkpointWorker.js');
  const engine = new EngineClient({ ...around, workerPath: checkpointWorker, onDamage: () => undefined });
  const keeper = new SnapshotKeeper(database, new WorkerSnapshotObjects(engine), logger);
  const changes = new FileChanges(noEditors, keeper, new UnfinishedWrites(directory, createOwner(), logger));
  const signal = new AbortController().signal;
  const random = new Chance(Number(seed));
  for (let version = 1; ; version += 1) {
    const shown = `${random.below(6)}.txt`;
    const target = { real: path.join(workspace, shown), shown };
    const origin = { sessionId, callId: `call ${version}`, signal, beginWriting: () => undefined };
    const file = await changes.readText(target).catch(() => null);
    if (file === null) await changes.create(target, `version ${version}\n`.repeat(20_000), origin);
    else if (random.next() < 0.2) await changes.remove(file, origin);
    else await changes.write(file, `version ${version}\n`.repeat(20_000), origin);
    process.send?.(version);
  }
}

void main(process.argv.slice(2));
