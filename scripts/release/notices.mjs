import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { Problem } from '../lib/console.mjs';
import { inRoot } from '../lib/paths.mjs';
import { grammarNotice } from './grammars.mjs';
import { shippedPackages } from './shippedPackages.mjs';

/** Notice for code inside packages that is not a package itself. */
const contents = `sql.js contains SQLite, which is in the public domain. @vscode/tree-sitter-wasm contains tree-sitter and grammars,
whose licence is at the end. DOMPurify is used under the Apache License.`;

/** Returns the notices for every package: the licenses of the bundled code. */
export function notices() {
  return `Third-party notices\n\nOllama Copilot contains code of these packages.\n\n${contents}\n${licences(withoutLance())}\n${'='.repeat(80)}\n\n${grammarNotice()}\n`;
}

/** Returns the additional notices for packages for single platforms: LanceDB and its JavaScript dependencies. */
export function lanceNotices() {
  const usual = new Set(withoutLance().map(({ place }) => place));
  const more = shippedPackages(lock()).filter(({ place }) => !usual.has(place) && existsSync(inRoot(place)));
  return `Third-party notices of LanceDB\n\nlancedb-rust.html has those of its native part.\n${licences(more)}`;
}

function lock() {
  return JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'));
}

function withoutLance() {
  const whole = lock();
  const { optionalDependencies: _, ...own } = whole.packages[''];
  return shippedPackages({ packages: { ...whole.packages, '': own } });
}

/** Returns each license text once, below the packages that use it. */
function licences(packages) {
  const groups = new Map();
  for (const { name, version, place } of packages) {
    const manifest = JSON.parse(readFileSync(inRoot(place, 'package.json'), 'utf8'));
    const licence = manifest.license ?? 'see below';
    const text = textsIn(place).join('\n\n') || standard(licence, name);
    groups.set(text, (groups.get(text) ?? new Set()).add(`${name} ${version} (${licence})`));
  }
  return [...groups].map(([text, names]) => `\n${'='.repeat(80)}\n\n${[...names].sort().join('\n')}\n\n${text}\n`).join('');
}

function textsIn(place) {
  return readdirSync(inRoot(place))
    .filter((file) => /^(licen[sc]e|copying|notice)(?!_header|-mpl)/i.test(file))
    .sort()
    .map((file) => normalized(readFileSync(inRoot(place, file), 'utf8')));
}

/** Returns the license of a package that names its license but does not include the text (LanceDB). */
function standard(licence, name) {
  if (licence !== 'Apache-2.0') throw new Problem(`${name} has no licence file.`);
  return normalized(readFileSync(inRoot('node_modules/flatbuffers/LICENSE'), 'utf8'));
}

function normalized(text) {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\s+$/g, '');
}
