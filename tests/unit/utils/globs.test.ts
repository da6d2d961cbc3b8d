import assert from 'node:assert/strict';
import { FileSensitivity, isProtected } from '../../../src/utils/sensitivity/fileSensitivity';
import { GlobError, expandBraces, globMatcher } from '../../../src/utils/text/globs';

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
    // Same results as in VS Code: braces with one alternative, a folder and its content, and characters that are special in other syntaxes.
    ['*.{ts}', 'a.ts', true],
    ['a{1..3}', 'a2', false],
    ['{**/node_modules/**,**/.git/**}', 'node_modules', true],
    ['**/node_modules/**', 'web/node_modules/a/b.js', true],
    ['src/**', 'src', true],
    ['**', '.github/workflows/ci.yml', true],
    ['#*#', '#a#', true],
    ['!a.ts', 'b.ts', false],
    ['!a.ts', '!a.ts', true],
    ['docs/', 'web/docs', true],
    ['/a.ts', 'a.ts', true],
    ['/a.ts', 'deep/a.ts', false],
    ['/home/*/x', '/home/me/x', true],
    ['home/*/x', '/home/me/x', false],
    ['**/x.pem', '../keys/x.pem', true],
    ['../*.pem', '../x.pem', true],
    ['a/./b/.', 'a/b', true],
    ['keys/*.pem', './keys/x.pem', true],
    ['?', '😀', true],
    // Route and template names: Next.js, SvelteKit, Remix, Expo Router, cookiecutter.
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['app/[id]/page.tsx', 'app/i/page.tsx', true],
    ['app/[id]/**/*.tsx', 'app/[id]/edit/page.tsx', true],
    ['**/[id]/page.tsx', 'src/app/[id]/page.tsx', true],
    ['docs/[[...step-by]]/page.tsx', 'docs/[[...step-by]]/page.tsx', true],
    ['[...slug].tsx', 'pages/[...slug].tsx', true],
    ['posts/[slug].{js,tsx}', 'posts/[slug].tsx', true],
    ['posts/[slug].{js,tsx}', 'posts/[slug].vue', false],
    ['src/[id]/[a-c]*.ts', 'src/[id]/b1.ts', true],
    ['src/[id]/[a-c]*.ts', 'src/[id]/d1.ts', false],
    ['{src,app}/[lang]/[id]/+page.svelte', 'app/[lang]/[id]/+page.svelte', true],
    ['[fruit=fruit]/+page.svelte', 'src/routes/[fruit=fruit]/+page.svelte', false],
    ['**/[fruit=fruit]/+page.svelte', 'src/routes/[fruit=fruit]/+page.svelte', true],
    ['app/(group)/@modal/(.)photo/[id]/page.tsx', 'app/(group)/@modal/(.)photo/[id]/page.tsx', true],
    ['app/routes/sitemap[.]xml.ts', 'app/routes/sitemap[.]xml.ts', true],
    ['app/routes/sitemap[.]xml.ts', 'app/routes/sitemap.xml.ts', true],
    ['{{cookiecutter.slug}}/setup.py', '{{cookiecutter.slug}}/setup.py', true],
    ['{{cookiecutter.slug}}/**/*.{py,md}', '{{cookiecutter.slug}}/docs/a.md', true],
    ['a/[b]/[c]/[d]/[e]/[f]/*.{ts,tsx}', 'a/[b]/[c]/[d]/[e]/[f]/x.tsx', true],
    ['app\\[id]\\page.tsx', 'app/[id]/page.tsx', true],
    ['![id].ts', '![id].ts', true],
  ];
  for (const [pattern, path, isMatch] of cases) {
    it(`${pattern} ${isMatch ? 'matches' : 'does not match'} ${path}`, () => {
      assert.equal(globMatcher(pattern)(path), isMatch);
    });
  }

  it('read brackets as names in the patterns of sensitive files', () => {
    const files = new FileSensitivity({ 'app/[id]/**': false, 'pages/[...slug].tsx': false, '{{name}}/.env': true });
    assert.deepEqual(
      ['app/[id]/page.tsx', 'pages/[...slug].tsx', 'app/id/page.tsx', '{{name}}/.env'].map((path) => files.of(path)),
      ['listed', 'listed', null, null],
    );
    assert.deepEqual(new FileSensitivity({ 'app/[id]/.env': true }).of('app/[id]/.env'), null);
  });

  it('need no more than a moment for patterns made to take long', () => {
    const glob = globMatcher(`**/${'*a'.repeat(40)}b/${'**/'.repeat(30)}x`);
    assert.equal(glob(`${'a'.repeat(250)}/`.repeat(40)), false);
    assert.equal(glob(`${'a'.repeat(250)}/`.repeat(16)), false);
    const path = 'a'.repeat(4000);
    for (const pattern of ['*a'.repeat(499), '*?'.repeat(499), '*[ab]'.repeat(190), '{'.repeat(999), '['.repeat(999)])
      assert.equal(globMatcher(`${pattern}!`)(path), false, pattern.slice(0, 10));
    assert.equal(globMatcher('**/*a*/'.repeat(140))('aa/'.repeat(1300)), true);
  });

  it('are refused where their length or their alternatives have no bound', () => {
    const codeOf = (pattern: string): unknown => {
      try {
        globMatcher(pattern);
      } catch (error) {
        return error instanceof GlobError ? error.code : error;
      }
      return null;
    };
    assert.equal(codeOf('a'.repeat(1000)), null);
    assert.equal(codeOf('a'.repeat(1001)), 'length');
    assert.equal(codeOf(`{${','.repeat(499)}}`), null);
    for (const pattern of [
      '{a,b}'.repeat(40),
      `{${','.repeat(500)}`,
      '{a,{b,c}{d,e}}'.repeat(5),
      `{a,b}${'{c,d}'.repeat(7)}${'e'.repeat(100)}`,
    ])
      assert.equal(codeOf(pattern), 'alternatives', pattern.slice(0, 20));
    assert.throws(() => expandBraces('{a,b}'.repeat(40)), GlobError);
  });

  it('can leave the case of letters out of account', () => {
    assert.equal(globMatcher('*.TS', { ignoreCase: true })('Deep/A.ts'), true);
    assert.equal(globMatcher('*.TS')('a.ts'), false);
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
    it(`${path} may contain secrets`, () => assert.equal(sensitivity.isSecret(path), true));
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

  it('a pattern that is refused frees no file, and asks about every file', () => {
    const huge = '{a,b}'.repeat(40);
    assert.equal(new FileSensitivity({ [huge]: true }).isExempt('a'), false);
    assert.equal(new FileSensitivity({ [huge]: false }).isSecret('a'), true);
  });

  it('no pattern frees the addresses that git keeps', () => {
    const own = new FileSensitivity({ '**': true, config: true });
    for (const path of ['.git/config', 'sub/.git/config.worktree', '.GIT/config'])
      assert.deepEqual([own.of(path), own.isExempt(path)], ['secret', false], path);
    assert.deepEqual([own.of('config'), own.isExempt('config')], [null, true]);
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
    it(`${path} affects how code is installed, built or run`, () => assert.equal(sensitivity.of(path), 'build'));
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
