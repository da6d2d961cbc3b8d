import vue from '@vitejs/plugin-vue';
import { build } from 'vite';
import { note } from './console.mjs';
import { unlessFresh } from './fingerprint.mjs';
import { inRoot, root } from './paths.mjs';

const outDir = 'out/bench/view';

/** Bundles `tests/bench/view/page.ts` with the view's production code for the benchmarks that run in a browser. */
export async function buildBenchView() {
  const inputs = ['src/webview', 'src/protocol', 'src/types', 'tests/bench/view', 'package-lock.json'];
  await unlessFresh({ name: 'bench-view', inputs, outputs: [outDir] }, async () => {
    note('Building the page of the benchmarks');
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      plugins: [vue({ features: { optionsAPI: false } })],
      build: {
        outDir,
        emptyOutDir: true,
        cssCodeSplit: false,
        target: 'es2022',
        rollupOptions: {
          input: inRoot('tests', 'bench', 'view', 'page.ts'),
          output: { format: 'iife', entryFileNames: 'page.js', assetFileNames: 'page[extname]' },
        },
      },
    });
  });
}
