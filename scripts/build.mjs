import { parseArgs } from 'node:util';
import { buildBundles } from './lib/build.mjs';
import { main } from './lib/console.mjs';

/** `npm run build`: builds the extension into `dist/` and the view into `media/`. `--development` keeps names and source maps. */
await main(async () => {
  const { values } = parseArgs({ options: { development: { type: 'boolean', default: false } } });
  await buildBundles({ mode: values.development ? 'development' : 'production' });
});
