import assert from 'node:assert/strict';
import { plainWords } from '../../../src/services/codebase/engine/identifiers';
import { findImports, linksAmong } from '../../../src/services/codebase/engine/importGraph';
import { fused } from '../../../src/services/codebase/engine/meaning';
import { CodebaseBench } from './codebaseBench';

describe('the order of what was found', () => {
  it('reads imports of files of the workspace in several languages', () => {
    const script = `import { a } from './a';\nexport * from '../lib/index.js';\nconst c = require("./c");\nawait import('./d.mjs');\nimport x from 'zod';`;
    assert.deepEqual(findImports('src/main.ts', script), ['src/a', 'lib', 'src/c', 'src/d']);
    assert.deepEqual(
      findImports('pkg/sub/m.py', 'from . import x\nfrom .near import y\nfrom ..far.off import z\nfrom os import path'),
      ['pkg/sub', 'pkg/sub/near', 'pkg/far/off'],
    );
    assert.deepEqual(findImports('a/b.c', '#include "d/e.h"\n#include <stdio.h>'), ['a/d/e']);
    assert.deepEqual(findImports('a.ts', "import '../../outside';"), []);
  });

  it('counts links both ways, each file once', () => {
    const texts = new Map([
      ['a.ts', "import './b'; import type { B } from './b';"],
      ['b.ts', ''],
      ['c.ts', ''],
    ]);
    assert.deepEqual(
      [...linksAmong(texts)],
      [
        ['a.ts', 1],
        ['b.ts', 1],
        ['c.ts', 0],
      ],
    );
  });

  it('joins ranks by their weights', () => {
    const order = fused({ ids: [1, 2, 3], weight: 1 }, { ids: [4, 2], weight: 0.5 }).map(({ id }) => id);
    assert.deepEqual(order, [2, 1, 3, 4]);
  });

  it('turns code into words for a model of prose', () => {
    assert.equal(plainWords('export async function readLogPage(sessionId: string) { return x_y; }'), 'read log page session');
  });

  it('puts files that belong together before their like', async () => {
    const alone = Array.from({ length: 8 }, (_, index) => [`a${index}.ts`, `import './e${index}';\nexport const heron = 1;\n`]);
    const together = [
      ['y.ts', "import './z';\nexport const heron = 1;\n"],
      ['z.ts', "import './e9';\nexport const heron = 1;\n"],
    ];
    const bench = await CodebaseBench.start(Object.fromEntries([...alone, ...together] as [string, string][]));
    try {
      await bench.codebase.settled();
      const paths = await bench.paths('heron');
      assert.equal(paths.length, 10);
      assert.ok(paths.indexOf('y.ts') < paths.indexOf('a7.ts'), paths.join());
    } finally {
      await bench.stop();
    }
  });
});
