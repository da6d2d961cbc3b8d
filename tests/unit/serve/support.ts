import path from 'node:path';
import type { HeadlessWorkers } from '../../../src/serve/headlessCore';

const services = path.join(__dirname, '../../../src/services');

export const serveWorkers: HeadlessWorkers = {
  database: path.join(services, 'database/databaseWorker.js'),
  importer: path.join(services, 'import/importWorker.js'),
  wasm: path.join(path.dirname(require.resolve('sql.js')), 'sql-wasm.wasm'),
  search: path.join(services, 'search/searchWorker.js'),
  codebase: path.join(services, 'codebase/codebaseWorker.js'),
  checkpoint: path.join(services, 'checkpoint/engine/checkpointWorker.js'),
};
