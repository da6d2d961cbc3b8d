import { mkdir, rename, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../utils/clock';
import { messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { firstResult } from '../../utils/workerCalls';
import { Connection } from '../database/sqlite/connection';
import { databaseFileName } from '../database/sqlite/databaseFile';
import { StorageError } from '../database/sqlite/storageError';
import type { DatabaseForm } from './database/foreignDatabase';
import type { FormAnswer, FormQuestion } from './importWorker';
import { SessionImporter, type ImportFiles } from './sessionImporter';
import { retryWhileInUse } from '../../utils/files/retryWhileInUse';

export interface OldDatabaseOptions extends ImportFiles {
  clock: Clock;
  logger: Logger;
}

const touchEveryMs = 5_000;

/**
 * Converts the copy of an earlier version's database in `folder`, so that the native engine can open it. Imports sessions
 * of the sql.js version to a new database, which replaces the old one. Does not change an intact database of this product.
 * Does not change an unreadable database either, so opening it fails later and the user decides. Throws `StorageError`.
 */
export async function readOldDatabase(folder: string, options: OldDatabaseOptions): Promise<void> {
  const file = path.join(folder, databaseFileName);
  // Other windows keep waiting while the modification time changes.
  const touch = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), touchEveryMs);
  try {
    const form = await detectForm(file, options);
    options.logger.info(`The database of an earlier version is of the form: ${form ?? 'unknown'}`);
    if (form === null || form === 'own') return;
    const made = path.join(folder, 'new');
    await mkdir(made);
    await importInto(made, file, options);
    for (const suffix of ['-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
    await retryWhileInUse(() => rename(path.join(made, databaseFileName), file));
  } finally {
    clearInterval(touch);
  }
}

async function importInto(
  directory: string,
  file: string,
  { workerPath, wasmPath, clock, logger }: OldDatabaseOptions,
): Promise<void> {
  const connection = new Connection({ directory, clock, logger });
  try {
    await connection.open();
  } finally {
    await connection.close();
  }
  const importer = new SessionImporter({
    file: connection.file,
    workerPath,
    wasmPath,
    logger,
    onImported: () => undefined,
    onDamage: () => undefined,
  });
  const { failure, issues, sessions, unlisted, leftOut } = await importer.import(
    [file],
    () => undefined,
    new AbortController().signal,
  );
  if (failure !== null) throw new StorageError(failure.code === 'internal' ? 'io' : failure.code, failure.message);
  logger.info(`Sessions of an earlier version: ${sessions.length}`);
  for (const { lines, reason, detail } of issues)
    logger.warn('Not taken from an earlier version', { rows: lines, reason, detail });
  if (unlisted > 0) logger.warn(`And ${unlisted} more`);
  for (const { kind, count } of leftOut) logger.info(`Left out, as it is no part of a conversation: ${count} × ${kind}`);
}

/** Returns the origin of a database. Returns null if it is unreadable. */
async function detectForm(file: string, { workerPath, wasmPath, logger }: OldDatabaseOptions): Promise<DatabaseForm | null> {
  const question: FormQuestion = { formOf: file, wasmPath };
  const worker = new Worker(workerPath, { workerData: question, name: 'import', execArgv: [] });
  try {
    const { form, problem } = await firstResult(worker, (answer: FormAnswer) => answer);
    if (problem !== null) logger.warn('The database of an earlier version could not be read', problem);
    return form;
  } catch (error) {
    throw new StorageError('io', `The import worker ended: ${messageOf(error)}`, { cause: error });
  } finally {
    await worker.terminate();
  }
}
