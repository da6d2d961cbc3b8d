import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from './manifest';

type Section = { properties: Record<string, unknown> };
interface Manifest {
  contributes: { configuration: Section | Section[] };
}

describe('the package for all platforms', () => {
  it('lacks the settings that need LanceDB, and nothing else of the manifest', async () => {
    const { universalManifest } = (await import(path.join(repository, 'scripts/lancedb/universalManifest.mjs'))) as {
      universalManifest: (manifest: Manifest) => Manifest;
    };
    const manifest = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as Manifest;
    const keys = ({ contributes: { configuration } }: Manifest) =>
      [configuration].flat().flatMap(({ properties }) => Object.keys(properties));
    const universal = universalManifest(manifest);
    assert.deepEqual(
      keys(manifest).filter((key) => !keys(universal).includes(key)),
      ['ollamaCopilot.search.useLanceDB'],
    );
    const { configuration } = universal.contributes;
    assert.deepEqual(universal, { ...manifest, contributes: { ...manifest.contributes, configuration } });
  });
});
