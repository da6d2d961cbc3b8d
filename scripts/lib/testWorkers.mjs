import path from 'node:path';
import { build } from 'vite';
import { inRoot } from './paths.mjs';

/*
 * Bundles each worker that nearly every core test starts into one file, which replaces the compiled file. A worker that is loaded from a
 * hundred files takes three times the CPU time. Runs as a separate program because the bundler sets NODE_ENV, which changes how other code
 * loads Vue.
 */

const workers = [
  'services/database/databaseWorker',
  'services/checkpoint/engine/checkpointWorker',
  'services/checkpoint/engine/blockWorker',
  'services/checkpoint/engine/syncWorker',
];

for (const worker of workers) {
  await build({
    root: inRoot(),
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: inRoot('src', `${worker}.ts`),
      outDir: inRoot('out', 'src', path.dirname(worker)),
      emptyOutDir: false,
      minify: false,
      target: 'node22',
      rollupOptions: { output: { format: 'cjs', entryFileNames: '[name].js', codeSplitting: false } },
    },
  });
}
