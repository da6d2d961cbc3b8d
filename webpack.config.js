const path = require('node:path');
const { readFileSync } = require('node:fs');
const { BannerPlugin, DefinePlugin, IgnorePlugin, sources } = require('webpack');

/** Bundles the extension host's side. `vscode` is provided by the editor; everything else is inside. */
module.exports = (_env, argv) => ({
  target: 'node22',
  mode: argv.mode ?? 'none',
  entry: {
    extension: './src/extension.ts',
    host: './src/host.ts',
    databaseWorker: './src/services/database/databaseWorker.ts',
    searchWorker: './src/services/search/searchWorker.ts',
    codebaseWorker: './src/services/codebase/codebaseWorker.ts',
    lanceProcess: './src/services/codebase/lance/lanceProcess.ts',
    checkpointWorker: './src/services/checkpoint/engine/checkpointWorker.ts',
    blockWorker: './src/services/checkpoint/engine/blockWorker.ts',
    syncWorker: './src/services/checkpoint/engine/syncWorker.ts',
    importWorker: './src/services/import/importWorker.ts',
    cli: './src/cli/main.ts',
    minimatch: 'minimatch',
    jsdiff: './src/utils/text/jsdiff.ts',
  },
  output: {
    path: path.resolve(__dirname, 'dist'),
    filename: '[name].js',
    library: { type: 'commonjs2' },
    clean: true,
  },
  // Several bundles match globs and write diffs, and share one file for each.
  // sql.js sets `module` aside while it starts, which only a file of its own survives; tree-sitter looks for its code beside itself.
  externals: [
    {
      vscode: 'commonjs vscode',
      'sql.js': 'commonjs ./sql-wasm.js',
      '@vscode/tree-sitter-wasm': 'commonjs ./tree-sitter.js',
    },
    ({ request, contextInfo }, answer) => {
      const shared = /^(minimatch|\.\/jsdiff)$/.exec(request)?.[1];
      if (shared === undefined || contextInfo.issuer === '') return answer();
      return answer(null, `commonjs ./${shared.replace('./', '')}.js`);
    },
  ],
  resolve: { extensions: ['.ts', '.js'] },
  // What is loaded later is one file, named where it is imported. The chat and `serve` share one more: the agent.
  optimization: {
    splitChunks: {
      cacheGroups: {
        default: false,
        defaultVendors: false,
        agent: { name: 'agent', chunks: ({ name }) => name === 'chat' || name === 'serve', minChunks: 2, enforce: true },
      },
    },
  },
  module: {
    // The entry asks Node itself for what lies beside it.
    parser: { javascript: { createRequire: false } },
    rules: [
      { test: /\.ts$/, exclude: /node_modules/, use: { loader: 'ts-loader', options: { transpileOnly: true } } },
      // The client of MCP is loaded later as a whole.
      { test: /node_modules[\\/]@modelcontextprotocol/, parser: { dynamicImportMode: 'eager' } },
    ],
  },
  // zod asks for it to recognise a platform that is not ours; the editor reports every such question as an error.
  plugins: [
    new DefinePlugin({ 'typeof navigator': JSON.stringify('undefined') }),
    // ws does without them.
    new IgnorePlugin({ resourceRegExp: /^(bufferutil|utf-8-validate)$/ }),
    new BannerPlugin({ banner: '#!/usr/bin/env node', raw: true, test: /^cli\.js$/ }),
    ...emitLoadedLater(),
  ],
  node: { __filename: false, __dirname: false },
  devtool: argv.mode === 'production' ? false : 'source-map',
  performance: { hints: false },
  infrastructureLogging: { level: 'warn' },
});

/** What is read when it is first needed, as files of its own: sql.js for databases, tree-sitter's grammars for commands and completions. */
function emitLoadedLater() {
  const languages = ['bash', 'powershell', 'javascript', 'typescript', 'tsx', 'python', 'go', 'java', 'rust'];
  const grammars = ['tree-sitter.js', 'tree-sitter.wasm', ...languages.map((language) => `tree-sitter-${language}.wasm`)];
  return [emitFiles('sql.js', ['sql-wasm.js', 'sql-wasm.wasm']), emitFiles('@vscode/tree-sitter-wasm', grammars)];
}

function emitFiles(library, names) {
  const folder = path.dirname(require.resolve(library));
  return {
    apply: (compiler) =>
      compiler.hooks.thisCompilation.tap(library, (compilation) =>
        compilation.hooks.processAssets.tap(library, () => {
          for (const name of names) compilation.emitAsset(name, new sources.RawSource(readFileSync(path.join(folder, name))));
        }),
      ),
  };
}
