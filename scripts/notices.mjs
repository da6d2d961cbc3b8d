import { writeFileSync } from 'node:fs';
import { main, note } from './lib/console.mjs';
import { inRoot } from './lib/paths.mjs';
import { notices } from './release/notices.mjs';

/** `npm run notices`: writes the licenses of the package's content to THIRD-PARTY-NOTICES.txt. */
await main(() => {
  writeFileSync(inRoot('THIRD-PARTY-NOTICES.txt'), notices());
  note('THIRD-PARTY-NOTICES.txt is up to date.');
});
