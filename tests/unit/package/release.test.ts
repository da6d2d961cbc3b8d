import assert from 'node:assert/strict';
import path from 'node:path';
import { manifest, readText, repository } from './manifest';

interface Release {
  checkRelease: (state: Record<string, unknown>) => { notes?: string; problem?: string };
}
interface Lock {
  name: string;
  packages: Record<string, object>;
}
type Packages = (lock: Lock) => { name: string; version: string; place: string }[];

const load = (name: string) => import(path.join(repository, 'scripts/release', name)) as Promise<unknown>;

describe('npm run release', () => {
  const state = {
    version: '2.0.0',
    repository: 'https://github.com/o/n',
    isDryRun: false,
    changes: '',
    changelog: '# Changelog\n\n## 2.0.0 (pre-release)\n\n- New.\n\n### Fixed\n\n- Old.\n\n## 1.0.0\n\n- First.\n',
  };
  let check: Release['checkRelease'];
  before(async () => ({ checkRelease: check } = (await load('checkRelease.mjs')) as Release));

  it('takes the notes from the section of the version', () => {
    assert.deepEqual(check(state), { notes: '- New.\n\n### Fixed\n\n- Old.' });
    assert.deepEqual(check({ ...state, version: '1.0.0', tag: 'v1.0.0' }), { notes: '- First.' });
  });

  it('stops with a sentence at what is missing', () => {
    const problems: [change: object, problem: RegExp][] = [
      [{ changes: ' M README.md\n' }, /Commit or remove.* M README\.md/s],
      [{ version: '2.0.1' }, /CHANGELOG\.md has no section ## 2\.0\.1/],
      [{ version: '2.0' }, /no section ## 2\.0\./],
      [{ tag: 'v1.9.0' }, /tag v1\.9\.0 does not fit the version 2\.0\.0/],
      [{ repository: undefined }, /--repository https:/],
    ];
    for (const [change, problem] of problems) assert.match(check({ ...state, ...change }).problem ?? '', problem);
    assert.equal(check({ ...state, repository: undefined, isDryRun: true }).problem, undefined);
  });

  it('has notes for the version of package.json', () => {
    const { notes = '' } = check({ ...state, version: manifest.version, changelog: readText('CHANGELOG.md') });
    const lines = notes.split('\n').filter((line) => line.startsWith('- '));
    assert.ok(lines.length > 0 && lines.length <= 25, `${lines.length} lines`);
  });

  it('gives the manifest the addresses of the repository, and leaves it alone without one', async () => {
    const { releaseManifest } = (await load('releaseManifest.mjs')) as { releaseManifest: (...args: unknown[]) => object };
    assert.deepEqual(releaseManifest({ name: 'n' }, undefined), { name: 'n' });
    assert.deepEqual(releaseManifest({ name: 'n' }, 'https://github.com/o/n'), {
      name: 'n',
      repository: { type: 'git', url: 'https://github.com/o/n.git' },
      bugs: { url: 'https://github.com/o/n/issues' },
      homepage: 'https://github.com/o/n#readme',
    });
  });
});

describe('the list of what users get', () => {
  const lock: Lock = {
    name: 'own',
    packages: {
      '': { dependencies: { a: '1' }, devDependencies: { tool: '1' }, optionalDependencies: { native: '1' } },
      'node_modules/a': {
        version: '1.0.0',
        dependencies: { shared: '1' },
        peerDependencies: { tool: '1' },
        peerDependenciesMeta: { tool: { optional: true } },
      },
      'node_modules/a/node_modules/shared': { version: '1.0.0', dependencies: { deep: '1' } },
      'node_modules/deep': { version: '3.0.0' },
      'node_modules/native': { version: '1.0.0', peerDependencies: { peer: '1' }, optional: true },
      'node_modules/peer': { name: 'substitute', version: '5.0.0' },
      'node_modules/shared': { version: '2.0.0', dev: true },
      'node_modules/tool': { version: '1.0.0', dependencies: { shared: '2', deep: '3' }, dev: true },
    },
  };
  const shipped = ['a@1.0.0', 'deep@3.0.0', 'native@1.0.0', 'shared@1.0.0', 'substitute@5.0.0'];

  it('has dependencies with all that they need, also what development needs too, and nothing else', async () => {
    const { shippedPackages } = (await load('shippedPackages.mjs')) as { shippedPackages: Packages };
    assert.deepEqual(
      shippedPackages(lock)
        .map(({ name, version }) => `${name}@${version}`)
        .sort(),
      shipped,
    );
  });

  it('is what the SBOM names', async () => {
    const { shippedSbom } = (await load('sbom.mjs')) as { shippedSbom: (sbom: object, lock: Lock) => Record<string, unknown> };
    const refs = [...shipped, 'shared@2.0.0', 'tool@1.0.0'];
    const sbom = {
      metadata: { component: { 'bom-ref': 'own@1.0.0', name: 'folder' } },
      components: refs.map((ref) => ({ 'bom-ref': ref })),
      dependencies: [
        { ref: 'own@1.0.0', dependsOn: ['a@1.0.0', 'tool@1.0.0'] },
        { ref: 'tool@1.0.0', dependsOn: ['deep@3.0.0'] },
      ],
    };
    assert.deepEqual(shippedSbom(sbom, lock), {
      metadata: { component: { 'bom-ref': 'own@1.0.0', name: 'own' } },
      components: shipped.map((ref) => ({ 'bom-ref': ref })),
      dependencies: [{ ref: 'own@1.0.0', dependsOn: ['a@1.0.0'] }],
    });
  });
});
