import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';
import limits from './tests/limits.json' with { type: 'json' };

/** Tests of the view that need modules nobody has used before. */
const isolated = ['tests/webview/languages.test.ts'];

/** Bundles the webview's side into `media/`, and runs its tests. Names are fixed: the host writes the HTML. */
export default defineConfig({
  plugins: [vue({ features: { optionsAPI: false } })],
  publicDir: false,
  /** The style sheet finds the icon font beside itself. */
  base: './',
  build: {
    outDir: 'media',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // Adds tags to the page otherwise, which its content policy does not let in.
    modulePreload: false,
    cssCodeSplit: false,
    target: 'es2022',
    rollupOptions: {
      input: 'src/webview/main.ts',
      output: {
        format: 'es',
        entryFileNames: 'chatView.js',
        chunkFileNames: '[name].js',
        assetFileNames: (asset) => (asset.names.some((name) => name.endsWith('.css')) ? 'chatView.css' : '[name][extname]'),
      },
    },
  },
  test: {
    environment: 'jsdom',
    // Ends what hangs. A busy machine is no failure.
    testTimeout: limits.caseMinutes * 60_000,
    hookTimeout: limits.caseMinutes * 60_000,
    // What a passing test has the view log is no news.
    silent: 'passed-only',
    projects: [
      // One environment for many files takes half the processor time of one each.
      { extends: true, test: { name: 'view', isolate: false, include: ['tests/webview/**/*.test.ts'], exclude: isolated } },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
  },
});
