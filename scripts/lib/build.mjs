import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Problem, note } from './console.mjs';
import { filesIn, isFresh, unlessFresh } from './fingerprint.mjs';
import { environment, node } from './nodes.mjs';
import { inRoot, root } from './paths.mjs';
import { capture } from './processes.mjs';
import { lanceTargets, placeNativeLance } from '../lancedb/native.mjs';
import { universalManifest } from '../lancedb/universalManifest.mjs';
import { isPreRelease } from '../release/checkRelease.mjs';
import { lanceNotices } from '../release/notices.mjs';
import { releaseManifest } from '../release/releaseManifest.mjs';

const sources = [
  'src',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.webview.json',
  'webpack.config.js',
  'vite.config.ts',
];
const vsixLimit = 6 * 1024 * 1024;

const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));

export const vsixFile = vsixFor();

/** Returns the path of the VSIX in a folder: for one platform, or without `target` for all platforms. */
export function vsixFor(target, folder = root) {
  return path.join(folder, ['ollama-copilot', target, `${version}.vsix`].filter(Boolean).join('-'));
}

const texts = 'l10n/bundle.l10n.json';

const bundles = (mode) => ({ name: 'bundles', variant: mode, inputs: sources, outputs: ['dist', 'media', texts] });

/** Returns true if `dist/` and `media/` are up-to-date production builds. */
export function areBundlesFresh() {
  return isFresh(bundles('production'));
}

/** Bundles the extension into `dist/` and the view into `media/`, and lists their texts for translators. */
export async function buildBundles({ mode = 'production' } = {}) {
  await unlessFresh(bundles(mode), async () => {
    note('Building the extension and its view');
    await tool('webpack', ['webpack', 'bin', 'webpack.js'], ['--mode', mode, '--stats', 'errors-warnings']);
    await tool('vite', ['vite', 'bin', 'vite.js'], ['build', '--logLevel', 'error', '--mode', mode]);
    // Imported here because it needs the compilers, which a fresh clone does not have yet.
    const { writeBundle } = await import('./l10n.mjs');
    writeBundle();
  });
}

/** Compiles sources and tests with `tsc` into `out/`, for mocha. A type error fails the step but keeps the files that compile. */
export async function compileTests({ env = {} } = {}) {
  dropStale();
  const { code, output } = await capture(node, [...compiler, '-p', 'tsconfig.test.json', ...incremental], {
    env: environment(env),
  });
  if (code !== 0) throw new Problem(`${output}\nTypeScript found errors.`);
  const bundled = await capture(node, [inRoot('scripts', 'lib', 'testWorkers.mjs')], { env: environment(env) });
  if (bundled.code !== 0) throw new Problem(`${bundled.output}\nThe workers could not be bundled.`);
}

/** Same as `compileTests`, but only if something has changed. */
export async function compileTestsIfChanged(options) {
  const inputs = ['src', 'tests', 'tsconfig.json', 'tsconfig.test.json', 'package-lock.json'];
  await unlessFresh({ name: 'tests', inputs, outputs: [buildInfo] }, async () => {
    note('Compiling what tests and the demonstration need');
    await compileTests(options);
  });
}

/** Files and folders that a package is built from. */
const packed = [
  ...['dist', 'media', 'resources', 'l10n', 'package.json', 'package.nls.json', 'package.nls.de.json', '.vscodeignore'],
  ...['README.md', 'LICENSE', 'THIRD-PARTY-NOTICES.txt', 'CHANGELOG.md'],
];
const vsceOptions = ['--no-dependencies', ...(isPreRelease(version) ? ['--pre-release'] : [])];

/** Packages the extension for all platforms, as users get it. Returns the file. */
export async function packageVsix() {
  await buildBundles();
  const inputs = [...packed, 'scripts/lancedb/universalManifest.mjs', 'scripts/release/releaseManifest.mjs'];
  await unlessFresh({ name: 'vsix', inputs, outputs: [path.basename(vsixFile)] }, () => packInto(vsixFile));
  const { size } = statSync(vsixFile);
  if (size >= vsixLimit) throw new Problem(`${vsixFile} is ${size} bytes; the limit is ${vsixLimit}.`);
  return vsixFile;
}

/** Packages the extension for one platform, with LanceDB. Returns the file. */
export async function packageVsixFor(target, file = vsixFor(target)) {
  await buildBundles();
  await packInto(file, { target });
  return file;
}

/**
 * Packages the built extension into a file: for one platform, or without `target` for all platforms and without the settings that need
 * LanceDB. If `repository` is set, links and images in README.md and CHANGELOG.md point to this version in the repository.
 */
export async function packInto(file, { target, repository } = {}) {
  await inPackageFolder(async (folder) => {
    const manifestFile = path.join(folder, 'package.json');
    const manifest = releaseManifest(JSON.parse(readFileSync(manifestFile, 'utf8')), repository);
    const links = manifest.repository
      ? ['--githubBranch', `v${version}`]
      : ['--allow-missing-repository', '--no-rewrite-relative-links'];
    writeFileSync(manifestFile, `${JSON.stringify(target ? manifest : universalManifest(manifest), null, 2)}\n`);
    if (target) await addLance(target, path.join(folder, 'dist'));
    note(`Packing the extension for ${target ?? 'all platforms'}`);
    rmSync(file, { force: true });
    const options = [...(target ? ['--target', target] : []), ...vsceOptions, ...links, '--out', file];
    await tool('vsce', ['@vscode', 'vsce', 'vsce'], ['package', ...options], folder);
  });
}

/** Returns the names of the files in a package, without fetching LanceDB's native part. */
export async function listPackage(target) {
  await buildBundles();
  return inPackageFolder(async (folder) => {
    const dist = path.join(folder, 'dist');
    if (target) {
      for (const name of ['lancedb.js', `lancedb.${lanceTargets[target]}.node`]) writeFileSync(path.join(dist, name), '');
      addLanceNotices(dist);
    }
    const output = await tool('vsce', ['@vscode', 'vsce', 'vsce'], ['ls', '--no-dependencies'], folder);
    return output.split('\n').filter(Boolean).sort();
  });
}

async function addLance(target, dist) {
  const bundling = ['--config', inRoot('scripts/lancedb/webpack.config.js'), '--output-path', dist, '--stats', 'errors-only'];
  await tool('webpack', ['webpack', 'bin', 'webpack.js'], bundling);
  await placeNativeLance(target, dist);
  addLanceNotices(dist);
}

function addLanceNotices(dist) {
  writeFileSync(path.join(dist, 'lancedb-notices.txt'), lanceNotices());
  cpSync(inRoot('node_modules/@lancedb/lancedb/RUST_THIRD_PARTY_LICENSES.html'), path.join(dist, 'lancedb-rust.html'));
}

/** Runs `pack` in a temporary copy of the files that a package is built from. */
async function inPackageFolder(pack) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-package-'));
  try {
    for (const name of packed) cpSync(inRoot(name), path.join(folder, name), { recursive: true });
    return await pack(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const buildInfo = 'out/.tsbuildinfo';
const compiler = [inRoot('node_modules', 'typescript', 'bin', 'tsc')];
const incremental = ['--incremental', '--tsBuildInfoFile', buildInfo];

async function tool(name, module, args, cwd = root) {
  const { code, output } = await capture(node, [inRoot('node_modules', ...module), ...args], { env: environment(), cwd });
  if (code !== 0) throw new Problem(`${output}\n${name} failed.`);
  return output;
}

/** Removes compiled files whose source is gone, so that deleted tests do not run. */
function dropStale() {
  for (const file of filesIn(['out/src', 'out/tests'])) {
    const source = file.replace(/^out[\\/]/, '').replace(/\.js(\.map)?$/, '.ts');
    if (!existsSync(inRoot(source))) rmSync(inRoot(file), { force: true });
  }
}
