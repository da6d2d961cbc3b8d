import path from 'node:path';
import { FilesOnDisk } from '../../../../src/services/files/fileOnDisk';
import { PendingChanges } from '../../../../src/services/review/pendingChanges';
import { EngineClient } from '../../../../src/services/checkpoint/host/engineClient';
import { WorkerSnapshotObjects } from '../../../../src/services/checkpoint/host/snapshotObjects';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { UnfinishedWrites } from '../../../../src/services/files/unfinishedWrites';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger as logger } from '../../../../src/utils/logger';
import { noEditors } from '../../agent/support/editorDoubles';
import { workerPath } from '../../database/support/stores';

/**
 * `undoer <storage> <sessionId> <seq> <moment>`: undoes all pending changes, or reverts the answer `seq` if it is not 0. Kills itself at
 * the nth moment, before or after a write.
 */
async function main([directory = '', sessionId = '', seq = '0', moment = '1']: string[]): Promise<void> {
  let left = Number(moment);
  const pass = (): void => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const deadly = <A extends unknown[], R>(work: (...given: A) => Promise<R>) => {
    return async (...given: A): Promise<R> => {
      pass();
      const result = await work(...given);
      pass();
      return result;
    };
  };
  const owner = createOwner();
  const database = new DatabaseService({ directory, owner, clock: systemClock, logger, workerPath });
  await database.initialize();
  const { fileSnapshots, fileOperations } = database;
  const checkpointWorker = path.join(__dirname, '../../../../src/services/checkpoint/engine/checkpointWorker.js');
  const engine = new EngineClient({ directory, owner, workerPath: checkpointWorker, logger, onDamage: () => undefined });
  const files = new FilesOnDisk(noEditors, new UnfinishedWrites(directory, owner, logger));
  files.bringTo = deadly(files.bringTo.bind(files));
  fileOperations.begin = deadly(fileOperations.begin.bind(fileOperations));
  fileSnapshots.resolve = deadly(fileSnapshots.resolve.bind(fileSnapshots));
  const no = () => Promise.resolve(false);
  const questions = { replace: no, remove: no, merge: no };
  const changes = new PendingChanges(database, new WorkerSnapshotObjects(engine), files, questions, logger);
  await (seq === '0' ? changes.undo(sessionId, null) : changes.revertAnswer(sessionId, Number(seq)));
}

void main(process.argv.slice(2)).finally(() => process.exit());
