import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { repository } from './manifest';

const run = promisify(execFile);
const targets = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64', 'win32-arm64', 'alpine-x64'];

describe('a package for one platform', () => {
  it('is made for each that there is a native part for, of the version that the lock file pins', async () => {
    const { lanceTargets } = (await import(path.join(repository, 'scripts/lancedb/native.mjs'))) as {
      lanceTargets: Record<string, string>;
    };
    assert.deepEqual(Object.keys(lanceTargets), targets);
    const lock = JSON.parse(await readFile(path.join(repository, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string; integrity: string } | undefined>;
    };
    for (const end of Object.values(lanceTargets)) {
      const { version, integrity } = lock.packages[`node_modules/@lancedb/lancedb-${end}`] ?? {};
      assert.equal(version, '0.31.0', end);
      assert.match(integrity ?? '', /^sha512-/, end);
    }
  });

  it('says which there are where there is none', async () => {
    const packing = run(process.execPath, [path.join(repository, 'scripts/package.mjs'), '--target', 'plan9-x64']);
    await assert.rejects(packing, /There is no LanceDB for plan9-x64\. There is for linux-x64/);
  });
});
