import assert from 'node:assert/strict';
import path from 'node:path';
import { Linter } from 'eslint';
import { repository } from '../package/manifest';

const refused = [
  'assert.equal(await rows.count(), 1);',
  'assert.match((await row.innerText()).trim(), /x/);',
  'assert(await row.first().isVisible());',
  'assert.deepEqual([await rows.count(), await others.count()], [1, 2]);',
];
const allowed = [
  'await expect(rows).toHaveCount(1);',
  'await eventually(async () => assert.equal(await rows.count(), 1));',
  'const before = await rows.count();',
  "assert.equal(await readFile('a'), '');",
];

describe('The lint rule for assertions on a page', () => {
  let messages: (code: string) => string[];

  before(async () => {
    const { default: config } = (await import(path.join(repository, 'eslint.config.mjs'))) as { default: Linter.Config[] };
    const plugin = config.find(({ rules }) => rules?.['waits/once'] !== undefined)?.plugins?.['waits'];
    assert.ok(plugin);
    messages = (code) =>
      new Linter().verify(code, [{ plugins: { waits: plugin }, rules: { 'waits/once': 'error' } }]).map(({ message }) => message);
  });

  for (const code of refused)
    it(`refuses ${code}`, () => {
      assert.match(messages(code)[0] ?? '', /^Wait for the state/);
    });

  for (const code of allowed)
    it(`allows ${code}`, () => {
      assert.deepEqual(messages(code), []);
    });
});
