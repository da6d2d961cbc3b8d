import assert from 'node:assert/strict';
import { FileSensitivity } from '../../../src/utils/fileSensitivity';
import { Glob } from '../../../src/utils/glob';

describe('globs', () => {
  const cases: [pattern: string, path: string, isMatch: boolean][] = [
    ['*.ts', 'a.ts', true],
    ['*.ts', 'deep/er/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['./*.ts', 'deep/a.ts', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/deep/er/a.ts', true],
    ['src/**', 'src/deep/a.ts', true],
    ['**/test/**/*.{js,ts}', 'a/test/b/c.ts', true],
    ['**/test/**/*.{js,ts}', 'a/tests/b/c.ts', false],
    ['{src,tests}/{a,b{1,2}}.ts', 'tests/b2.ts', true],
    ['file?.txt', 'file1.txt', true],
    ['file?.txt', 'file12.txt', false],
    ['file[0-9].txt', 'file7.txt', true],
    ['file[!0-9].txt', 'file7.txt', false],
    ['[ab', '[ab', true],
    ['a+(b).c', 'a+(b).c', true],
    ['*', '.env', true],
    ['src\\*.ts', 'src/a.ts', true],
  ];
  for (const [pattern, path, isMatch] of cases) {
    it(`${pattern} ${isMatch ? 'matches' : 'does not match'} ${path}`, () => {
      assert.equal(new Glob(pattern).matches(path), isMatch);
    });
  }

  it('need no more than a moment for patterns made to take long', () => {
    const glob = new Glob(`**/${'*a'.repeat(40)}b/${'**/'.repeat(30)}x`);
    assert.equal(glob.matches(`${'a'.repeat(250)}/`.repeat(40)), false);
    assert.equal(new Glob('{a,b}'.repeat(40)).matches('c'), false);
  });

  it('can leave the case of letters out of account', () => {
    assert.equal(new Glob('*.TS', { ignoreCase: true }).matches('Deep/A.ts'), true);
    assert.equal(new Glob('*.TS').matches('a.ts'), false);
  });
});

describe('file sensitivity', () => {
  const sensitivity = new FileSensitivity();
  for (const path of [
    '.env',
    'app/.env.local',
    'prod.env',
    '.ENV',
    '.env.',
    '.env::$DATA',
    'keys/server.pem',
    'home/.ssh/config',
    'id_rsa',
    'id_ed25519.bak',
    '.npmrc',
    '.aws/credentials',
    'config/secrets.yml',
    'terraform.tfstate',
  ]) {
    it(`${path} may hold secrets`, () => assert.equal(sensitivity.isSensitive(path), true));
  }
  for (const path of ['.env.example', 'src/env.ts', 'id_rsa.pub', 'src/secrets.ts', 'docs/keys.md', 'package.json', '..', '.']) {
    it(`${path} holds none`, () => assert.equal(sensitivity.isSensitive(path), false));
  }

  it('the last pattern that matches decides', () => {
    const own = new FileSensitivity({ '**/*': true, '**/.env*': false, '.env.test': true });
    assert.deepEqual(
      ['a.pem', '.env', 'x/.env.test'].map((path) => own.isSensitive(path)),
      [false, true, false],
    );
  });
});
