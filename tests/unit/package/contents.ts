import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { repository } from './manifest';

const code = [
  ...['agent', 'api', 'blockWorker', 'chat', 'checkpointWorker', 'cli', 'codebaseWorker', 'commands', 'completions'],
  ...[
    'databaseWorker',
    'export',
    'extension',
    'host',
    'importWorker',
    'jsdiff',
    'lanceProcess',
    'mcp',
    'minimatch',
    'oldDatabase',
    'searchWorker',
  ],
  ...['serve', 'sql-wasm', 'syncWorker', 'tree-sitter', 'unfinishedWrites', 'upkeep', 'yaml'],
];
const languages = ['bash', 'go', 'java', 'javascript', 'powershell', 'python', 'rust', 'tsx', 'typescript'];
const icons = ['activity.svg', 'currentChange-dark.svg', 'currentChange-light.svg', 'icon.png'];

/** Files that every package contains. */
const common = [
  ...['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt'],
  ...['package.json', 'package.nls.json', 'package.nls.de.json', 'l10n/bundle.l10n.de.json'],
  ...code.map((name) => `dist/${name}.js`),
  ...['sql-wasm', 'tree-sitter', ...languages.map((language) => `tree-sitter-${language}`)].map((name) => `dist/${name}.wasm`),
  ...['chatView.css', 'chatView.js', 'codicon.ttf', 'katexFormula.js'].map((name) => `media/${name}`),
  ...icons.map((name) => `resources/icons/${name}`),
  ...['agent', 'ask', 'connect', 'model', 'privacy'].map((name) => `resources/walkthrough/${name}.svg`),
];

/** Native parts of LanceDB, by platform. */
const natives: Record<string, string> = {
  'linux-x64': 'lancedb.linux-x64-gnu.node',
  'linux-arm64': 'lancedb.linux-arm64-gnu.node',
  'darwin-arm64': 'lancedb.darwin-arm64.node',
  'win32-x64': 'lancedb.win32-x64-msvc.node',
  'win32-arm64': 'lancedb.win32-arm64-msvc.node',
  'alpine-x64': 'lancedb.linux-x64-musl.node',
};

/** Packages of a release: one for each platform, and `undefined` for the package for all platforms. */
export const packages = [undefined, ...Object.keys(natives)];

/** Returns exactly the files that a package must contain. */
export function contentsOf(target: string | undefined): string[] {
  const native = natives[target ?? ''];
  const lance = native === undefined ? [] : ['lancedb.js', native, 'lancedb-notices.txt', 'lancedb-rust.html'];
  return [...common, ...lance.map((name) => `dist/${name}`)].sort();
}

/** Lists the files that would be packaged. */
export async function listed(target: string | undefined): Promise<string[]> {
  const args = target === undefined ? [] : ['--target', target];
  const script = path.join(repository, 'scripts/package.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--list', ...args], { cwd: repository });
  return stdout.split('\n').filter(Boolean).sort();
}
