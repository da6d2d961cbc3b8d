import path from 'node:path';
import { statSync } from 'node:fs';
import { packageVsix } from './lib/build.mjs';
import { main, note } from './lib/console.mjs';
import { root } from './lib/paths.mjs';

/** `npm run package`: the extension as one VSIX for all platforms. */
await main(async () => {
  const file = await packageVsix();
  note(`${path.relative(root, file)}: ${Math.round(statSync(file).size / 1024)} KB`);
});
