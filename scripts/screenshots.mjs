import { rmSync } from 'node:fs';
import { compileTestsIfChanged, packageVsix } from './lib/build.mjs';
import { main, note } from './lib/console.mjs';
import { editorEnvironment, mocha } from './lib/editorTests.mjs';
import { environment, node } from './lib/nodes.mjs';
import { inRoot } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';

/**
 * `npm run screenshots`: takes screenshots in four themes, 300, 420 and 900 pixels wide. First the scenes in `tests/e2e/*.pictures.ts` in
 * an editor, into `screenshots/editor/`, then every designed state of the view into `screenshots/gallery/`. `-- --grep WORDS` selects
 * scenes and skips the states. Other arguments are passed to the gallery, which then takes only those states.
 */
await main(async () => {
  const args = process.argv.slice(2);
  if (args.length === 0) return (await scenes([])) || states([]);
  return args[0] === '--grep' ? scenes(args) : states(args);
});

async function scenes(selection) {
  const vsix = await packageVsix();
  await compileTestsIfChanged();
  const env = await editorEnvironment({ OLLAMA_COPILOT_VSIX: vsix });
  if (selection.length === 0) rmSync(inRoot('screenshots', 'editor'), { recursive: true, force: true });
  const code = await mocha(['--config', 'tests/e2e/.mocharc.json', ...selection], ['out/tests/e2e/**/*.pictures.js'], { env });
  note('The pictures are in screenshots/editor/');
  return code;
}

function states(args) {
  if (args.length === 0) rmSync(inRoot('screenshots', 'gallery'), { recursive: true, force: true });
  return run(node, [inRoot('scripts', 'gallery', 'run.mjs'), ...args], { env: environment() });
}
