import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readText, repository } from './manifest';

/** Acceptance tests: name in the case titles, folder of the table, number of lines. */
const tables = [
  ['first hour', 'firstHour', 33],
  ['afternoon', 'afternoon', 7],
] as const;

/** Returns the suites whose titles name a line, by line. */
function suitesByLine(table: string): Map<number, Set<string>> {
  const folder = path.join('tests', 'e2e');
  const title = new RegExp(`\\bit\\(\\s*['"\`]${table} (\\d+): `, 'g');
  const found = new Map<number, Set<string>>();
  for (const name of readdirSync(path.join(repository, folder), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    for (const [, line] of readText(folder, name).matchAll(title)) {
      const suites = found.get(Number(line)) ?? new Set();
      found.set(Number(line), suites.add(name.replaceAll('\\', '/').replace(/(\.e2e)?\.ts$/, '')));
    }
  }
  return found;
}

for (const [name, folder, count] of tables) {
  describe(`the ${name}`, () => {
    it('has a case for every line', () => {
      const lines = Array.from({ length: count }, (_unused, index) => index + 1);
      const tested = suitesByLine(name);
      assert.deepEqual(
        lines.filter((line) => !tested.has(line)),
        [],
      );
    });

    it('is listed with the suites that its titles are in', () => {
      const rows = readText('tests', 'e2e', folder, 'README.md').matchAll(/^\| (\d+) \|.*\| ([^|]+) \|$/gm);
      const listed = [...rows].map(([, line, suites = '']): [number, string[]] => [Number(line), suites.match(/[\w/]+/g) ?? []]);
      const tested = [...suitesByLine(name)].map(([line, suites]): [number, string[]] => [line, [...suites].sort()]);
      const sorted = (pairs: [number, string[]][]) => [...pairs].sort(([one], [other]) => one - other);
      assert.deepEqual(sorted(listed), sorted(tested));
    });
  });
}

describe('the first hour', () => {
  it('33: ends with a README that says where the data is, and with no hook that would touch anything', () => {
    const readme = readText('README.md');
    assert.match(readme, /globalStorage\/ollama-copilot\.ollama-copilot\//);
    assert.match(readme, /ollamaCopilot\.storagePath/);
    assert.doesNotMatch(readText('package.json'), /vscode:uninstall/);
  });
});
