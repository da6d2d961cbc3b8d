import path from 'node:path';
import { build } from 'vite';
import { inRoot } from './paths.mjs';

/*
 * Puts each worker that nearly every test of the core starts anew into one file, in place of the compiled one: loaded from a hundred files a
 * worker takes three times the processor time. A program of its own: the bundler sets NODE_ENV, which changes how others load Vue.
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
