const path = require('node:path');

/** Bundles LanceDB for the packages of single platforms. The bundle looks for the native part next to itself first. */
module.exports = {
  target: 'node22',
  mode: 'production',
  entry: { lancedb: '@lancedb/lancedb' },
  output: { path: path.resolve(__dirname, '../../dist'), filename: '[name].js', library: { type: 'commonjs2' } },
  externals: [
    ({ request }, answer) => (/\.node$|^@lancedb\/lancedb-/.test(request) ? answer(undefined, `commonjs ${request}`) : answer()),
  ],
  node: { __filename: false, __dirname: false },
  performance: { hints: false },
  infrastructureLogging: { level: 'error' },
};
