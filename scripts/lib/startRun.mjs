import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compileTestsIfChanged, packageVsix, vsixFile } from './build.mjs';
import { ensureCodeServer } from './codeServer.mjs';
import { main, note } from './console.mjs';
import { findDesktopCode, openInBrowser } from './desktop.mjs';
import { environment } from './nodes.mjs';
import { findOllama } from './ollama.mjs';
import { inRoot, root } from './paths.mjs';

/** Second half of `npm start`, on Node 24: builds and opens everything, and runs until it is told to stop. */
const require = createRequire(import.meta.url);
const compiled = (...names) => require(inRoot('out', 'tests', 'support', ...names));
/** File in the sample workspace whose test fails. It is shown next to the chat. */
const firstFile = 'src/discount.js';
const cleanups = [];
const stopped = new Promise((resolve) => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, resolve);
  process.on('disconnect', resolve);
});

await main(async () => {
  try {
    await Promise.race([open(), stopped.then(() => undefined)]);
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
});
process.exit();

/** Resolves when the editor is closed. */
async function open() {
  const desktop = await findDesktopCode();
  if (!desktop) process.env.OLLAMA_COPILOT_CODE_SERVER = await ensureCodeServer();
  await packageVsix();
  // Type errors are ignored here. `npm test` reports them.
  await compileTestsIfChanged({ stdio: 'ignore' }).catch(() => undefined);
  const { removeFolder, temporaryFolder } = compiled('vscode', 'temporaryFolder.js');
  const temporary = await temporaryFolder();
  cleanups.push(() => removeFolder(temporary));
  cleanups.push(() => compiled('vscode', 'processGroup.js').endAllGroups());
  const folder = path.join(temporary, 'sample-workspace');
  await cp(inRoot('resources', 'sample-workspace'), folder, { recursive: true });
  const { baseUrl, isDemo } = await model();
  const { quietSettings, writeUserSettings } = compiled('vscode', 'userData.js');
  const place = { folder, userDataDir: path.join(temporary, 'user-data'), extensionsDir: path.join(temporary, 'extensions') };
  await writeUserSettings(place.userDataDir, { ...quietSettings, 'ollamaCopilot.baseUrl': baseUrl });
  const env = { OLLAMA_COPILOT_FIRST_LOOK: firstFile, ...(isDemo ? { OLLAMA_COPILOT_DEMO: '1' } : {}) };
  await (desktop ? openDesktop(desktop, place, environment(env)) : openInPage(place, env));
}

async function model() {
  const found = await findOllama();
  if (found) {
    note(`Using the Ollama server at ${found}`);
    return { baseUrl: found, isDemo: false };
  }
  const demo = await compiled('demo', 'demoModel.js').startDemoModel();
  cleanups.push(() => demo.close());
  note('No Ollama server answers (OLLAMA_HOST, or port 11434 here): a scripted demonstration model takes its place');
  return { baseUrl: demo.url, isDemo: true };
}

async function openDesktop(command, { folder, userDataDir, extensionsDir }, env) {
  const { spawnGroup } = compiled('vscode', 'processGroup.js');
  const own = ['--user-data-dir', userDataDir, '--extensions-dir', extensionsDir, `--extensionDevelopmentPath=${root}`];
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--new-window', '--wait', '--disable-workspace-trust', ...own, ...asRoot, folder];
  const child = spawnGroup(command, args, { stdio: 'ignore', env, shell: process.platform === 'win32' });
  console.log('\nReady: VS Code is open on a sample workspace. Ctrl-C, or closing its window, ends everything.');
  await new Promise((resolve) => child.once('exit', resolve));
}

async function openInPage({ folder, userDataDir, extensionsDir }, env) {
  const { EditorServer, installExtension } = compiled('vscode', 'editorServer.js');
  note('Starting VS Code');
  await installExtension(vsixFile, { userDataDir, extensionsDir });
  const server = await EditorServer.start({ kind: 'product', userDataDir, extensionsDir, env });
  const url = `${server.url}/?folder=${encodeURIComponent(folder)}`;
  const isOpened = openInBrowser(url);
  console.log(`\nReady: ${url}`);
  console.log(
    isOpened ? 'It opens in your browser. Ctrl-C ends everything.' : 'Open this address in a browser. Ctrl-C ends everything.',
  );
  await server.ended;
}
