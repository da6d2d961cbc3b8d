import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { declared } from '../../../src/config/declaredSettings';

/** Texts next to a button that opens the setting in VS Code, where the setting appears under this name. */
const exceptions = ['Requests are not kept. Set “ollamaCopilot.privacy.keptRequests” to the number of requests to keep.'];

it('Texts of the interface name settings by their titles, not by their IDs', () => {
  const bundle = readFileSync(path.join(process.cwd(), 'l10n/bundle.l10n.de.json'), 'utf8');
  const texts = Object.keys(JSON.parse(bundle) as Record<string, string>);
  const ids = Object.keys(declared).filter((id) => id.includes('.'));
  const named = texts.filter((text) => ids.some((id) => text.includes(id)));
  assert.deepEqual(named, exceptions);
});
