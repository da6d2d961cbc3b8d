import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../package/manifest';

interface Outcome {
  code: number;
  failed: number;
  passed: number;
  unsteady: string[];
}

/** Runs the files with a function of `editorTests.mjs`. `tries` counts how often their file has run. */
function run(folder: string, files: Record<string, string>, name = 'mochaInWindows'): { outcome: Outcome; output: string } {
  const paths = Object.entries(files).map(([name, body]) => {
    const file = path.join(folder, `${name}.test.js`);
    const head = `const fs = require('node:fs'), marker = __filename + '.ran'; fs.appendFileSync(marker, '.');
      const tries = fs.readFileSync(marker, 'utf8').length;`;
    writeFileSync(file, `${head}\n${body}`);
    return file;
  });
  const module = (name: string): string => JSON.stringify(pathToFileURL(path.join(repository, 'scripts/lib', name)).href);
  const script = `
    const tests = await import(${module('editorTests.mjs')});
    const { recordedCounts } = await import(${module('counts.mjs')});
    const ended = await tests.${name}(['--no-config'], ${JSON.stringify(paths)}, { env: process.env });
    const code = ended.code ?? ended;
    const { failed, passed, unsteady } = recordedCounts(process.env.OLLAMA_COPILOT_COUNTS);
    console.log('\\n' + JSON.stringify({ code, failed, passed, unsteady }));`;
  const env: NodeJS.ProcessEnv = { ...process.env, OLLAMA_COPILOT_COUNTS: path.join(folder, 'counts') };
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  return { outcome: JSON.parse(lines.pop() ?? '') as Outcome, output: lines.join('\n') };
}

const passesAt = (number: number): string =>
  `it('is late', () => { if (tries < ${number}) throw new Error('late at try ' + tries); });`;
const wrong = "it('is wrong', () => { throw new Error('wrong'); });";
const right = "it('is right', () => undefined);";

describe('retries of failed tests', () => {
  let folder: string;
  const triesOf = (name: string): number => readFileSync(path.join(folder, `${name}.test.js.ran`), 'utf8').length;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'retries-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('pass a case that fails once, name it with its reason, and leave passed files alone', () => {
    const { outcome, output } = run(folder, { late: passesAt(2), right });
    assert.deepEqual(outcome, { code: 0, failed: 0, passed: 2, unsteady: ['is late'] });
    assert.match(output, /late at try 1/);
    assert.deepEqual([triesOf('late'), triesOf('right')], [2, 1]);
  });

  it('end with the third try, which may pass', () => {
    const { outcome } = run(folder, { late: passesAt(3), right });
    assert.deepEqual(outcome, { code: 0, failed: 0, passed: 2, unsteady: ['is late'] });
  });

  it('fail a case that fails three times', () => {
    const { outcome } = run(folder, { wrong, late: passesAt(2), right });
    assert.deepEqual(outcome, { code: 1, failed: 1, passed: 2, unsteady: ['is late'] });
    assert.deepEqual([triesOf('wrong'), triesOf('late')], [3, 2]);
  });

  it('fail a case whose process breaks off when it runs again', () => {
    const body = `it('breaks', () => { if (tries > 1) process.exit(0); throw new Error('first'); });`;
    const { code, failed, unsteady } = run(folder, { body, right }).outcome;
    assert.deepEqual({ code, failed, unsteady }, { code: 1, failed: 1, unsteady: [] });
  });

  it('name the case that passes beside one that fails three times', () => {
    const { outcome } = run(folder, { both: `${passesAt(2)}\n${wrong}` });
    assert.deepEqual(outcome, { code: 1, failed: 1, passed: 1, unsteady: ['is late'] });
  });

  it('are not for tests without windows, where a failure is final', () => {
    for (const name of ['mocha', 'quietMocha']) {
      const own = mkdtempSync(path.join(folder, name));
      const { outcome } = run(own, { late: passesAt(2), right }, name);
      assert.deepEqual(outcome, { code: 1, failed: 1, passed: 1, unsteady: [] }, name);
    }
  });

  it('do not begin after many failed files, which have one cause', () => {
    const files = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, passesAt(2)]));
    const { failed, unsteady } = run(folder, files).outcome;
    assert.deepEqual({ failed, unsteady }, { failed: 6, unsteady: [] });
    assert.equal(triesOf('a'), 1);
  });
});
