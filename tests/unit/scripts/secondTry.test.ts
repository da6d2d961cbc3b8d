import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../package/manifest';

interface Outcome {
  code: number;
  failed: number;
  passed: number;
  flaky: string[];
}

/** Runs these files through `mocha` of `editorTests.mjs`. Tests may use `marker`, a file that a first run has left. */
function run(folder: string, files: Record<string, string>, environment: Record<string, string>): Outcome {
  const paths = Object.entries(files).map(([name, body]) => {
    const file = path.join(folder, `${name}.test.js`);
    writeFileSync(file, `const fs = require('node:fs'), marker = __filename + '.ran';\n${body}`);
    return file;
  });
  const module = (name: string): string => JSON.stringify(pathToFileURL(path.join(repository, 'scripts/lib', name)).href);
  const script = `
    const { quietMocha } = await import(${module('editorTests.mjs')});
    const { recordedCounts } = await import(${module('counts.mjs')});
    const { code } = await quietMocha(['--no-config', ...${JSON.stringify(paths)}], { env: process.env });
    const { failed, passed, flaky } = recordedCounts(process.env.OLLAMA_COPILOT_COUNTS);
    console.log('\\n' + JSON.stringify({ code, failed, passed, flaky }));`;
  const env: NodeJS.ProcessEnv = { ...process.env, OLLAMA_COPILOT_COUNTS: path.join(folder, 'counts'), ...environment };
  if (environment['CI'] === undefined) delete env['CI'];
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
}

const once =
  "it('is late once', () => { if (!fs.existsSync(marker)) { fs.writeFileSync(marker, ''); throw new Error('late'); } });";
const always = "it('is wrong', () => { throw new Error('wrong'); });";
const good = "it('is right', () => fs.appendFileSync(marker, '.'));";

describe('the second try of failed tests', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'second-try-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('passes what fails once, says so, and leaves passed files alone', () => {
    const outcome = run(folder, { once, good }, { CI: '1' });
    assert.deepEqual(outcome, { code: 0, failed: 0, passed: 2, flaky: ['is late once'] });
    assert.equal(readFileSync(path.join(folder, 'good.test.js.ran'), 'utf8'), '.');
  });

  it('fails what fails twice', () => {
    assert.deepEqual(run(folder, { always, good }, { CI: '1' }), { code: 1, failed: 1, passed: 1, flaky: [] });
  });

  it('is not given outside CI', () => {
    assert.deepEqual(run(folder, { once, good }, {}), { code: 1, failed: 1, passed: 1, flaky: [] });
    assert.ok(existsSync(path.join(folder, 'once.test.js.ran')));
  });

  it('is not given to many files, which have one cause', () => {
    const outcome = run(folder, { a: once, b: once, c: once, d: once }, { CI: '1' });
    assert.deepEqual([outcome.failed, outcome.flaky], [4, []]);
  });

  it('has the seed of the first', () => {
    const seeds = path.join(folder, 'seeds');
    const body = `it('is seeded', () => { fs.appendFileSync(${JSON.stringify(seeds)}, process.env.RUN_SEED + '\\n'); throw new Error('no'); });`;
    run(folder, { body }, { CI: '1' });
    const [first, second] = readFileSync(seeds, 'utf8').trim().split('\n');
    assert.ok(Number(first) > 0);
    assert.equal(first, second);
  });
});
