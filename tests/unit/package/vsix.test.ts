import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { contentsOf, listed, packages } from './contents';
import { manifest, repository } from './manifest';

const limit = 3_200_000;

describe('the packaged extension', () => {
  for (const target of packages)
    it(`has exactly what its table says: ${target ?? 'all platforms'}`, async () => {
      assert.deepEqual(await listed(target), contentsOf(target));
    });

  it('is smaller than 3.2 MB', function () {
    const vsix = statSync(path.join(repository, `ollama-copilot-${manifest.version}.vsix`), { throwIfNoEntry: false });
    if (!vsix) this.skip();
    assert.ok(vsix.size < limit, `${vsix.size} bytes`);
  });
});
