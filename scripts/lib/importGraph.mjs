import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesIn } from './fingerprint.mjs';
import { inRoot } from './paths.mjs';

/** Matches imports, dynamic imports (also of named chunks), and files that are started by name, such as workers. */
const mentioned = /require\((?:\/\*.*?\*\/ )?["'](\.[^"']+)["']\)|["']([\w./-]+\.js)["']/g;

/**
 * Returns the compiled tests that import any of the given sources, directly or indirectly, nearest first. Tests and sources are relative to
 * the repository.
 */
export function testsOf(sources) {
  const files = filesIn(['out/src', 'out/tests']).filter((file) => file.endsWith('.js'));
  const all = new Set(files);
  const importers = new Map();
  for (const file of files) {
    for (const [, imported, named] of readFileSync(inRoot(file), 'utf8').matchAll(mentioned)) {
      const target = path.posix.join(path.posix.dirname(file), imported === undefined ? named : `${imported}.js`);
      const found = [target, target.replace(/\.js$/, '/index.js')].find((name) => all.has(name));
      if (found !== undefined) importers.set(found, [...(importers.get(found) ?? []), file]);
    }
  }
  const reached = new Set();
  const next = sources.map((source) => `out/${source.replace(/\.ts$/, '.js')}`).filter((file) => all.has(file));
  // Breadth-first search, so that the nearest files come first.
  while (next.length > 0) {
    const file = next.shift();
    if (reached.has(file)) continue;
    reached.add(file);
    next.push(...(importers.get(file) ?? []));
  }
  return [...reached].filter((file) => /^out\/tests\/(unit|contract)\/.*\.test\.js$/.test(file));
}
