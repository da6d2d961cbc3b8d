/** Source of a project: the package registry of its language. It includes the tests. */
export type Source = { npm: string } | { pypi: string } | { go: string } | { crate: string; folder?: string };

/** A real project, and commands that developers run in it. */
export interface Project {
  name: string;
  source: Source;
  /** Programs that must be installed on the machine. */
  needs: readonly string[];
  /** Files that the package omits, by path. */
  files?: Readonly<Record<string, string>>;
  /** Commands that install packages and fill caches. They need a network. */
  prepare: readonly string[];
  /** Commands in their order. Each runs in the state that the previous commands left. */
  commands: readonly string[];
}

const venv = '. .venv/bin/activate && ';

export const projects: readonly Project[] = [
  {
    name: 'git',
    source: { npm: 'minimist@1.2.8' },
    needs: ['git', 'npm'],
    prepare: [
      'git init -q --bare ../minimist.git && git remote add origin ../minimist.git && git push -q origin main main:feature && git fetch -q',
    ],
    commands: [
      'git status --short --branch',
      'git fetch origin',
      'git checkout -b feature origin/feature',
      'echo text >> README.md && git add -A && git commit -m "docs: add a line"',
      'git diff HEAD~1 --stat',
      'git log --oneline --graph --all',
      'git switch main',
      'git merge --no-ff feature -m "Merge feature"',
      'git pull --rebase origin main',
      'git tag -a v1.3.0 -m "Version 1.3.0" && git describe',
      'echo more >> README.md && git stash && git stash list && git stash pop',
      'git restore README.md',
      'git mv test tests && git commit -m "tests: move"',
      'git revert --no-edit HEAD',
      'git rebase --onto HEAD~2 HEAD~1',
      'git cherry-pick ORIG_HEAD || git cherry-pick --abort',
      'git bisect start HEAD HEAD~2 && git bisect run test -f README.md; git bisect reset',
      'git format-patch -1 HEAD --stdout | git apply --stat',
      'git clone -q . build/copy && git -C build/copy log -1 --format=%s',
      'git worktree add -q build/tree && git worktree list --porcelain | wc -l && git worktree remove build/tree',
      'git branch -D feature',
      'git gc --quiet && git fsck',
    ],
  },
  {
    name: 'npm and eslint',
    source: { npm: 'minimist@1.2.8' },
    needs: ['git', 'npm'],
    files: { '.gitignore': 'node_modules/\ncoverage/\n.nyc_output/\n' },
    // Versions before 14 write to the home folder.
    prepare: ['npm install && npm install -D nyc@14'],
    commands: [
      'npm ci',
      'npm run lint',
      'npm run tests-only',
      'npx tape test/parse.js',
      'npx nyc report',
      'npx eslint --fix index.js',
      'npm ls --depth=0',
      'npm explain tape',
      'npm run',
      'npm pack --dry-run',
      'npm version patch --no-git-tag-version',
      'npm uninstall in-publish',
      'npm install --prefer-offline',
      'rm -rf node_modules && npm install --offline',
      'node example/parse.js -a beep -b boop',
    ],
  },
  {
    name: 'a server with node:test and tsc',
    source: { npm: 'fastify@5.12.8' },
    needs: ['git', 'npm'],
    files: {
      '.gitignore': 'node_modules/\n',
      'tsconfig.json': '{"compilerOptions":{"strict":true,"module":"nodenext","noEmit":true},"files":["fastify.d.ts"]}\n',
    },
    prepare: ['npm install --ignore-scripts'],
    commands: [
      'npx eslint lib',
      'node --test test/404s.test.js',
      'node --test test/listen.1.test.js test/https/https.test.js',
      'npx tsc --skipLibCheck -p .',
      'node -e "require(\'.\')().listen({port:0}).then(()=>process.exit())"',
      'npx c8 node --test test/route.1.test.js',
    ],
  },
  {
    name: 'pnpm and vitest',
    source: { npm: 'zod@4.6.7' },
    needs: ['git', 'npm'],
    files: {
      // By default, files are linked to the store, which is read-only in the sandbox.
      '.npmrc': 'package-import-method=copy\n',
      '.gitignore': 'node_modules/\n/dist/\n',
      'package.json':
        '{"name":"zod","version":"4.6.7","type":"module","private":true,"scripts":{"test":"vitest run","build":"tsc -p ."}}\n',
      'tsconfig.json':
        '{"compilerOptions":{"target":"es2022","module":"nodenext","skipLibCheck":true,"strict":true,"outDir":"dist"},"files":["src/index.ts"]}\n',
    },
    prepare: ['pnpm add -D vitest@3 typescript@5.9 esbuild prettier is-odd@3.0.1', 'pnpm remove is-odd'],
    commands: [
      'pnpm install --frozen-lockfile',
      'pnpm list',
      'pnpm why vitest',
      'pnpm test src/v4/classic/tests/string.test.ts src/v4/classic/tests/array.test.ts',
      'pnpm run build',
      'pnpm exec esbuild src/index.ts --bundle --format=esm --outfile=dist/bundle.js',
      'pnpm exec prettier --check src/index.ts',
      'pnpm add --offline -D is-odd@3.0.1',
      'rm -rf node_modules && pnpm install --offline --frozen-lockfile',
    ],
  },
  {
    name: 'pytest, mypy and ruff',
    source: { pypi: 'click==8.1.7' },
    needs: ['git', 'python3'],
    files: { '.gitignore': '.venv/\n__pycache__/\n.*_cache/\n.coverage\n*.egg-info/\n/build/\n/dist/\n' },
    prepare: ['python3 -m venv .venv', `${venv}pip install -q -e . pytest mypy ruff black coverage build setuptools wheel`],
    commands: [
      `${venv}pytest -q -p no:randomly`,
      `${venv}pytest tests/test_options.py -k required -v`,
      `${venv}python -m pytest --lf -q`,
      `${venv}coverage run -m pytest -q tests/test_basic.py && coverage report`,
      `${venv}ruff check src`,
      `${venv}ruff format --diff src`,
      `${venv}black --check src/click/core.py`,
      `${venv}mypy src/click/types.py`,
      `${venv}pip list && pip check`,
      `${venv}pip install --no-deps --no-build-isolation -e .`,
      `${venv}python -m build --no-isolation --wheel`,
      `${venv}python -m compileall -q src`,
      `python3 -m venv build/venv && build/venv/bin/python -c "print(1)"`,
    ],
  },
  {
    name: 'go',
    source: { go: 'github.com/spf13/cast@v1.7.0' },
    needs: ['git', 'go', 'make'],
    prepare: ['go mod tidy && go mod download all && go build ./... && go vet ./...'],
    commands: [
      'go build ./...',
      'go vet ./...',
      'go test ./...',
      'go test -count=1 -run TestToInt -v .',
      'go test -cover -coverprofile=coverage.out . && go tool cover -func=coverage.out | tail -1',
      'gofmt -l .',
      'go mod tidy',
      'go mod verify',
      'go list -m all',
      'go doc ToInt',
      'make vet',
    ],
  },
  {
    name: 'cargo',
    source: { crate: 'semver@1.0.28' },
    needs: ['git', 'cargo'],
    files: { '.gitignore': '/target/\n' },
    prepare: ['cargo fetch && cargo generate-lockfile && cargo add serde && cargo fetch && git checkout -q .'],
    commands: [
      'cargo build',
      'cargo check --all-targets',
      'cargo test',
      'cargo build --release',
      'cargo doc --no-deps',
      'cargo tree',
      'cargo fmt --check',
      'cargo clippy',
      'cargo add --offline serde',
      'cargo clean',
    ],
  },
  {
    name: 'make, gcc and cmake',
    source: { crate: 'lz4-sys@1.11.1', folder: 'liblz4' },
    needs: ['git', 'cargo', 'make', 'cc'],
    prepare: [],
    commands: [
      'make -j2',
      './lz4 -f README.md README.lz4 && ./lz4 -t README.lz4',
      'make -C examples',
      'make install DESTDIR="$PWD/install" PREFIX=/usr',
      'cc -O2 -Ilib -o simple examples/simple_buffer.c lib/lz4.c && ./simple',
      'make clean',
    ],
  },
];
