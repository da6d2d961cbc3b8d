const path = require('node:path');
const { DefinePlugin } = require('webpack');

/** Bundles the extension host's side. `vscode` is provided by the editor; everything else is inside. */
module.exports = (_env, argv) => ({
  target: 'node22',
  mode: argv.mode ?? 'none',
  entry: {
    extension: './src/extension.ts',
    databaseWorker: './src/services/database/databaseWorker.ts',
    searchWorker: './src/services/search/searchWorker.ts',
    checkpointWorker: './src/services/checkpoint/checkpointWorker.ts',
  },
  output: {
    path: path.resolve(__dirname, 'dist'),
    filename: '[name].js',
    library: { type: 'commonjs2' },
    clean: true,
  },
  externals: { vscode: 'commonjs vscode' },
  resolve: { extensions: ['.ts', '.js'] },
  // What is loaded later is one file, named where it is imported.
  optimization: { splitChunks: false },
  module: {
    rules: [{ test: /\.ts$/, exclude: /node_modules/, use: { loader: 'ts-loader', options: { transpileOnly: true } } }],
  },
  // zod asks for it to recognise a platform that is not ours; the editor reports every such question as an error.
  plugins: [new DefinePlugin({ 'typeof navigator': JSON.stringify('undefined') })],
  devtool: argv.mode === 'production' ? false : 'source-map',
  performance: { hints: false },
  infrastructureLogging: { level: 'warn' },
});
