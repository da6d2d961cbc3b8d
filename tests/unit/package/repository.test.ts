import assert from 'node:assert/strict';
import { manifest, readText } from './manifest';

interface Lock {
  packages: Record<string, { version?: string; resolved?: string; optionalDependencies?: Record<string, string> }>;
}

describe('the repository', () => {
  const lockText = readText('package-lock.json');
  const { packages } = JSON.parse(lockText) as Lock;

  it('has a lock file without download addresses or places on a machine', () => {
    const addressed = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
    assert.deepEqual(addressed, []);
    assert.doesNotMatch(lockText, /file:|\/(home|root|Users|work)\//);
  });

  it('has a lock file with the parts of every platform, without which npm ci refuses it', () => {
    const missing = Object.entries(packages).flatMap(([name, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((dependency) => !placesFor(name, dependency).some((place) => place in packages))
        .map((dependency) => `${name}: ${dependency}`),
    );
    assert.deepEqual(missing, []);
  });

  it('has a README that names npm start and npm test for set-up, and no other npm command', () => {
    const commands = [...readText('README.md').matchAll(/\bnpm [\w:-]+(?: [\w:-]+)?/g)].map(([command]) => command.trim());
    assert.deepEqual([...new Set(commands)].sort(), ['npm start', 'npm test']);
  });

  it('names only scripts that exist in CONTRIBUTING.md', () => {
    const named = [...readText('CONTRIBUTING.md').matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '');
    assert.deepEqual(
      named.filter((name) => !(name in manifest.scripts)),
      [],
    );
  });
});

/** Returns the places where npm may have installed a dependency: the package's own `node_modules` or an outer one. */
function placesFor(name: string, dependency: string): string[] {
  const places = [`node_modules/${dependency}`];
  for (let at = name.indexOf('node_modules/'); at >= 0; at = name.indexOf('/node_modules/', at + 1)) {
    const next = name.indexOf('/node_modules/', at + 1);
    places.push(`${next < 0 ? name : name.slice(0, next)}/node_modules/${dependency}`);
  }
  return places;
}
