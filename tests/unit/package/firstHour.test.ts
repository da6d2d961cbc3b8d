import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readText, repository } from './manifest';

/** Lines of the acceptance test. */
const wanted = Array.from({ length: 33 }, (_unused, index) => index + 1);

/** The suites in which a title names a line, by that line. */
function suitesByLine(): Map<number, Set<string>> {
  const folder = path.join('tests', 'e2e');
  const found = new Map<number, Set<string>>();
  for (const name of readdirSync(path.join(repository, folder), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    for (const [, line] of readText(folder, name).matchAll(/\bit\(\s*['"`]first hour (\d+): /g)) {
      const suites = found.get(Number(line)) ?? new Set();
      found.set(Number(line), suites.add(name.replaceAll('\\', '/').replace(/(\.e2e)?\.ts$/, '')));
    }
  }
  return found;
}

describe('the first hour', () => {
  it('has a case for every line', () => {
    const tested = suitesByLine();
    assert.deepEqual(
      wanted.filter((line) => !tested.has(line)),
      [],
    );
  });

  it('is listed with the suites that its titles are in', () => {
    const rows = readText('tests', 'e2e', 'firstHour', 'README.md').matchAll(/^\| (\d+) \|.*\| ([^|]+) \|$/gm);
    const listed = [...rows].map(([, line, suites = '']): [number, string[]] => [Number(line), suites.match(/[\w/]+/g) ?? []]);
    const tested = [...suitesByLine()].map(([line, suites]): [number, string[]] => [line, [...suites].sort()]);
    const sorted = (pairs: [number, string[]][]) => [...pairs].sort(([one], [other]) => one - other);
    assert.deepEqual(sorted(listed), sorted(tested));
  });

  it('33: ends with a README that says where the data is, and with no hook that would touch anything', () => {
    const readme = readText('README.md');
    assert.match(readme, /globalStorage\/ollama-copilot\.ollama-copilot\//);
    assert.match(readme, /ollamaCopilot\.storagePath/);
    assert.doesNotMatch(readText('package.json'), /vscode:uninstall/);
  });
});
