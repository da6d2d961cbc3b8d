import assert from 'node:assert/strict';
import path from 'node:path';
import { contentsOf } from './contents';
import { readText, repository } from './manifest';

describe('THIRD-PARTY-NOTICES.txt', () => {
  const load = () =>
    import(path.join(repository, 'scripts/release/notices.mjs')) as Promise<Record<'notices' | 'lanceNotices', () => string>>;

  it('is what npm run notices writes', async () => {
    const { notices } = await load();
    const isFresh = readText('THIRD-PARTY-NOTICES.txt').replace(/\r\n/g, '\n') === notices();
    assert.ok(isFresh, 'THIRD-PARTY-NOTICES.txt is stale: run npm run notices.');
  });

  it('has a licence for each dependency, and leaves those of LanceDB to its packages', async () => {
    const { notices, lanceNotices } = await load();
    const { dependencies } = JSON.parse(readText('package.json')) as { dependencies: Record<string, string> };
    const text = notices();
    const ofLance = lanceNotices();
    for (const name of [...Object.keys(dependencies), 'jose', '@vue/runtime-dom'])
      assert.match(text, new RegExp(`^${name} \\d`, 'm'));
    assert.doesNotMatch(text, /^(apache-arrow|webpack) \d/m);
    assert.match(ofLance, /^apache-arrow \d/m);
    assert.match(ofLance, /^@lancedb\/lancedb 0\.31\.0 \(Apache-2\.0\)$/m);
    assert.doesNotMatch(ofLance, /^zod \d/m);
  });

  it('names the copyright of the parser and of each grammar in the package', async () => {
    const text = (await load()).notices();
    const shipped = contentsOf(undefined).flatMap((file) => /^dist\/(tree-sitter.*)\.wasm$/.exec(file)?.[1] ?? []);
    assert.ok(shipped.length > 5);
    for (const name of shipped)
      assert.match(text, new RegExp(`^${name} \\(MIT\\), https://\\S+\nCopyright \\(c\\) \\d{4}.* \\w`, 'm'));
    assert.equal([...text.matchAll(/^tree-sitter\S* \(MIT\)/gm)].length, shipped.length);
  });
});
