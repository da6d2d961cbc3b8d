import path from 'node:path';
import { parseArgs } from 'node:util';
import { statSync } from 'node:fs';
import { packageVsix, packageVsixFor } from './lib/build.mjs';
import { main, note } from './lib/console.mjs';
import { root } from './lib/paths.mjs';

/** `npm run package`: the extension as one VSIX for all platforms; `-- --target linux-x64`: one for that platform, with LanceDB. */
await main(async () => {
  const { values } = parseArgs({ options: { target: { type: 'string' }, out: { type: 'string' } } });
  const file = values.target === undefined ? await packageVsix() : await packageVsixFor(values.target, values.out);
  note(`${path.relative(root, file)}: ${Math.round(statSync(file).size / 1024)} KB`);
});
