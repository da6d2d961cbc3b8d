import assert from 'node:assert/strict';
import { FileSensitivity, isProtected } from '../../../src/utils/sensitivity/fileSensitivity';
import { Glob } from '../../../src/utils/text/glob';

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
    'a/.env.local',
    '.git/config',
    '.ssh/known_hosts',
    'deploy.PEM',
    'db-credentials.json',
    'home\\.ssh\\config',
  ]) {
    it(`${path} may hold secrets`, () => assert.equal(sensitivity.isSecret(path), true));
  }
  for (const path of [
    '.env.example',
    'src/env.ts',
    'id_rsa.pub',
    'src/secrets.ts',
    'docs/keys.md',
    'package.json',
    'src/password.ts',
    '.gitignore',
    'secretary.txt',
    '..',
    '.',
  ]) {
    it(`${path} holds none`, () => assert.equal(sensitivity.isSecret(path), false));
  }

  it('the last pattern that matches decides', () => {
    const own = new FileSensitivity({ '**/*': true, '**/.env*': false, '.env.test': true });
    assert.deepEqual(
      ['a.pem', '.env', 'x/.env.test'].map((path) => own.isSecret(path)),
      [false, true, false],
    );
  });

  it('no pattern frees the addresses that git keeps', () => {
    const own = new FileSensitivity({ '**': true, config: true });
    for (const path of ['.git/config', 'sub/.git/config.worktree', '.GIT/config'])
      assert.deepEqual([own.of(path), own.isFreed(path)], ['secret', false], path);
    assert.deepEqual([own.of('config'), own.isFreed('config')], [null, true]);
  });

  it('tells what builds from what holds secrets, and what a person has listed', () => {
    const own = new FileSensitivity({ '**/*.sql': false, 'package.json': true }, { 'seed.sql': true });
    const paths = [
      'web/package-lock.json',
      '.github/workflows/ci.yml',
      'app.csproj',
      '.env',
      'a/x.sql',
      'a/seed.sql',
      'package.json',
      'a.ts',
    ];
    assert.deepEqual(
      paths.map((path) => own.of(path)),
      ['build', 'build', 'build', 'secret', 'listed', null, null, null],
    );
    assert.equal(new FileSensitivity().of('package.json'), 'build');
  });

  for (const path of [
    ...[
      'docker-compose.yaml',
      'compose.yaml',
      'docker-compose.override.yml',
      'compose.prod.yaml',
      'Dockerfile.dev',
      'web.Dockerfile',
    ],
    ...[
      'composer.json',
      'requirements.txt',
      'requirements-dev.txt',
      'requirements/base.txt',
      'go.mod',
      '.cargo/config',
      '.cargo/config.toml',
    ],
    ...[
      'gradlew',
      'gradle.properties',
      '.mvn/wrapper/maven-wrapper.properties',
      '.mvn/jvm.config',
      '.yarn/releases/yarn-4.cjs',
      'flake.nix',
    ],
    ...['mix.exs', 'Package.swift', 'node_modules/a/index.js', 'web/node_modules/b/c.mjs', '.venv/bin/activate', 'PACKAG~1.JSO'],
  ]) {
    it(`${path} decides what is installed, built or run`, () => assert.equal(sensitivity.of(path), 'build'));
  }

  for (const path of [
    '.git',
    '.git/hooks/pre-commit',
    'sub/.GIT./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    '.g\u200cit/config',
    'git~1/config',
    '.vscode/settings.json',
    'src/.VSCODE/tasks.json',
    'x.CODE-WORKSPACE',
    'docs/agents.MD',
    'CLAUDE.md',
    '.github/copilot-instructions.md',
    '.github/instructions/x.instructions.md',
    '.cursorrules',
    '.cursor/rules/x',
    '.claude/settings.json',
    '.mcp.json',
    '.husky/pre-commit',
    '/home/someone/.git/config',
    '.gitignore',
    'web/.gitignore',
    'GITIGN~1',
    'GI250A~2',
    '.ignore',
    'src/.rgignore',
    '.ollamacopilotignore',
    '.devcontainer.json',
    'DEVCON~1.JSO',
    '.gitpod.yml',
    '.simple-git-hooks.json',
    'lint-staged.config.mjs',
    '.lfsconfig',
    'GI7EBA~1',
    'HUSKY~1/pre-commit',
  ]) {
    it(`${JSON.stringify(path)} always asks`, () => assert.equal(isProtected(path), true));
  }
  for (const path of [
    '.prettierignore',
    '.github/workflows/ci.yml',
    'agents.ts',
    'vscode/x',
    'git/config',
    'README.md',
    'a.prompt.ts',
  ]) {
    it(`${path} does not always ask`, () => assert.equal(isProtected(path), false));
  }
});
