import path from 'node:path';
import { t } from '../../../../src/utils/l10n';
import { startExtension } from '../../../support/editorDouble';

const out = path.join(__dirname, '../../../..');

/**
 * `starter <directory>`: starts a window on this storage. When the status bar shows a model, reports which files are loaded and how the
 * core translates “Send”.
 */
const [directory = ''] = process.argv.slice(2);
const before = new Set(Object.keys(require.cache));
const settings = { baseUrl: 'http://box:11434', storagePath: directory, 'agentMode.temperature': 0.3, 'agent.keepAlive': '1h' };
const texts = { Send: 'Senden' };
startExtension({ extension: path.join(out, 'src/extension.js'), directory, settings, texts }, () => {
  const files = Object.keys(require.cache).filter((file) => !before.has(file));
  const loaded = files.map((file) => path.relative(out, file).replaceAll(path.sep, '/'));
  process.send?.({ loaded, said: t('Send') });
});
