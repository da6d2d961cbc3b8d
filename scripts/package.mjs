import path from 'node:path';
import { parseArgs } from 'node:util';
import { statSync } from 'node:fs';
import { listPackage, packageVsix, packageVsixFor } from './lib/build.mjs';
import { Problem, keepOutputClean, main, note } from './lib/console.mjs';
import { root } from './lib/paths.mjs';
import { lanceTargets } from './lancedb/native.mjs';

/**
 * `npm run package`: packages the extension as one VSIX for all platforms. `-- --target linux-x64`: packages it for that platform, with
 * LanceDB.
 * `-- --list`: lists the names of the files without packaging.
 */
await main(async () => {
  const { values } = parseArgs({
    options: { target: { type: 'string' }, out: { type: 'string' }, list: { type: 'boolean', default: false } },
  });
  const { target, out } = values;
  if (target !== undefined && !Object.hasOwn(lanceTargets, target))
    throw new Problem(`There is no LanceDB for ${target}. There is for ${Object.keys(lanceTargets).join(', ')}.`);
  if (values.list) {
    keepOutputClean();
    console.log((await listPackage(target)).join('\n'));
    return;
  }
  const file = target === undefined ? await packageVsix() : await packageVsixFor(target, out);
  note(`${path.relative(root, file)}: ${Math.round(statSync(file).size / 1024)} KB`);
});
