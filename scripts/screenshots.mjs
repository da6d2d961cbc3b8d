import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compileTestsIfChanged, packageVsix } from './lib/build.mjs';
import { main, note } from './lib/console.mjs';
import { editorEnvironment, mocha } from './lib/editorTests.mjs';
import { inRoot } from './lib/paths.mjs';

/** `npm run screenshots`: every scene in dark, light and high contrast, 300 and 420 pixels wide, into `screenshots/editor/`. */
await main(async () => {
  const { values } = parseArgs({ options: { grep: { type: 'string' } } });
  const vsix = await packageVsix();
  await compileTestsIfChanged();
  const env = await editorEnvironment({ OLLAMA_COPILOT_VSIX: vsix });
  if (!values.grep) rmSync(inRoot('screenshots', 'editor'), { recursive: true, force: true });
  const selection = values.grep ? ['--grep', values.grep] : [];
  const code = await mocha(['--config', 'tests/e2e/.mocharc.json', ...selection, 'out/tests/e2e/**/*.pictures.js'], { env });
  note('The pictures are in screenshots/editor/');
  return code;
});
