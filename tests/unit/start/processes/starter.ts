import path from 'node:path';
import { startExtension } from '../../../support/editorDouble';

const out = path.join(__dirname, '../../../..');

/** `starter <directory>`: starts a window on that storage and tells which files it has loaded when the status bar names a model. */
const [directory = ''] = process.argv.slice(2);
const before = new Set(Object.keys(require.cache));
const settings = { baseUrl: 'http://box:11434', storagePath: directory, 'agentMode.temperature': 0.3, 'agent.keepAlive': '1h' };
startExtension({ extension: path.join(out, 'src/extension.js'), directory, settings }, () => {
  const loaded = Object.keys(require.cache).filter((file) => !before.has(file));
  process.send?.(loaded.map((file) => path.relative(out, file).replaceAll(path.sep, '/')));
});
