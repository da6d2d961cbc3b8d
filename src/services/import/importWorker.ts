import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../utils/errors';
import { ForeignDatabase, type DatabaseForm } from './database/foreignDatabase';
import { loadSqlJs } from './database/sqlJs';
import { runImport } from './importer';
import type { ImportProgress } from './importMeter';
import type { ImportReport } from './importReport';

/** Entry point of the worker thread, which runs one import or detects the origin of one database. */

export interface ImportWorkerData {
  file: string;
  paths: string[];
  wasmPath: string;
  lancePath?: string | undefined;
  /** Shared number. A value other than 0 cancels the import. */
  cancel: Int32Array;
}

export type ImportMessage = { progress: ImportProgress } | { report: ImportReport };

/** Request for the origin of a database. The database is read without the native engine. */
export interface FormQuestion {
  formOf: string;
  wasmPath: string;
}

/** Origin of a database; null if the database is damaged. */
export interface FormAnswer {
  form: DatabaseForm | null;
  problem: string | null;
}

async function answer({ formOf, wasmPath }: FormQuestion): Promise<FormAnswer> {
  try {
    const database = ForeignDatabase.ofFile(formOf, await loadSqlJs(wasmPath));
    try {
      const problem = database.findDamage();
      return { form: problem === null ? database.form : null, problem };
    } finally {
      database.close();
    }
  } catch (error) {
    return { form: null, problem: messageOf(error) };
  }
}

async function work({ cancel, ...where }: ImportWorkerData): Promise<void> {
  const report = await runImport({
    ...where,
    now: Date.now,
    isCancelled: () => Atomics.load(cancel, 0) !== 0,
    onProgress: (progress) => parentPort?.postMessage({ progress } satisfies ImportMessage),
  });
  parentPort?.postMessage({ report } satisfies ImportMessage);
}

const data = workerData as ImportWorkerData | FormQuestion;
if ('formOf' in data) void answer(data).then((found) => parentPort?.postMessage(found));
else void work(data);
