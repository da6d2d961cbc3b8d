import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildBundles, compileTestsIfChanged } from './lib/build.mjs';
import { main } from './lib/console.mjs';
import { editorEnvironment } from './lib/editorTests.mjs';
import { node } from './lib/nodes.mjs';
import { inRoot } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';
import { withRetries } from './lib/retries.mjs';
import { withFastFolder } from './lib/temporary.mjs';

/** `npm run test:extension`: runs the suites in `tests/extension` in a real extension host. `-- --grep WORDS` selects cases. */
await main(async () => {
  const { values } = parseArgs({ options: { grep: { type: 'string' } } });
  const env = await editorEnvironment(values.grep ? { OLLAMA_COPILOT_GREP: values.grep } : {});
  await buildBundles();
  await compileTestsIfChanged();
  const program = inRoot('out', 'tests', 'extension', 'runInServer.js');
  const once = (files, own) => run(node, [program], { env: { ...own, OLLAMA_COPILOT_FILES: files.join(path.delimiter) } });
  return withFastFolder((folder) => withRetries({ ...env, ...folder }, once));
});
