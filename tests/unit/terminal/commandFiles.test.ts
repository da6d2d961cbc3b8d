import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandFiles, programFiles } from '../../../src/services/terminal/judge/commandFiles';

describe('The files that a command names to run', () => {
  let root: string;

  before(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-files-')));
    for (const folder of ['sub', 'pkg', 'app', 'packages/a']) mkdirSync(path.join(root, folder), { recursive: true });
    const scripts = {
      build: 'node x.js && tsc',
      prebuild: 'sh x.sh',
      test: 'mocha t.test.js',
      lint: 'npm run build',
      all: 'npm-run-all "part:*"',
      both: 'concurrently npm:part:a "node y.js"',
      'part:a': 'node a.ts',
    };
    const files: Record<string, string> = {
      'package.json': JSON.stringify({ scripts }),
      'packages/a/package.json': JSON.stringify({ scripts: { build: 'node ../../y.js' } }),
      'app/package.json': JSON.stringify({ main: 'main.js' }),
      Makefile: 'all:\n\tsh x.sh\n',
    };
    const empty =
      'x.js y.js x.sh x.py data.json a.ts hook.js t.test.js x.awk sub/z.js sub/x.sh pkg/__main__.py app/main.js conf.mjs x.sql x.exs x.yml';
    for (const name of [...empty.split(' '), ...Object.keys(files)]) writeFileSync(path.join(root, name), files[name] ?? '');
    symlinkSync(path.join(root, 'x.sh'), path.join(root, 'link.sh'));
  });

  after(() => rmSync(root, { recursive: true, force: true }));

  const cases: [command: string, files: string][] = [
    ['node x.js', 'x.js'],
    ['node ./x.js data.json', 'x.js'],
    ['node x', 'x.js'],
    ['node app', 'app/main.js app/package.json'],
    ['node -r ./hook.js x.js data.json', 'hook.js x.js'],
    ['node --import=./hook.js x.js', 'hook.js x.js'],
    ['NODE_ENV=test node "x.js"', 'x.js'],
    ['node -e "require(\'./x.js\')"', 'x.js'],
    ['env A=1 node x.js', 'x.js'],
    ['timeout 5 node x.js', 'x.js'],
    ['npx tsx x.js', 'x.js'],
    ['./x.sh --fast', 'x.sh'],
    ['$PWD/x.sh', 'x.sh'],
    ['./link.sh', 'x.sh'],
    ['bash x.sh a b', 'x.sh'],
    ['sh -x x.sh', 'x.sh'],
    ['bash -c "node x.js"', 'x.js'],
    ['bash < x.sh', 'x.sh'],
    ['cat x.sh | bash', 'x.sh'],
    ['eval "$(cat x.sh)"', 'x.sh'],
    ['source x.sh', 'x.sh'],
    ['. ./x.sh && node x.js', 'x.js x.sh'],
    ['python x.py', 'x.py'],
    ['python3.12 x.py', 'x.py'],
    ['python -m pkg', 'pkg/__main__.py'],
    ['uv run python x.py', 'x.py'],
    ['cd sub && node z.js', 'sub/z.js'],
    ['(cd sub; bash x.sh)', 'sub/x.sh x.sh'],
    ['awk -f x.awk data.json', 'data.json x.awk'],
    ['npm run build', 'package.json x.js x.sh'],
    ['npm test', 'package.json t.test.js'],
    ['npm t', 'package.json t.test.js'],
    ['yarn build', 'package.json x.js x.sh'],
    ['pnpm run lint', 'package.json x.js x.sh'],
    ['npm run build -w packages/a', 'package.json packages/a/package.json x.js x.sh y.js'],
    ['npm --prefix packages/a run build', 'package.json packages/a/package.json x.js x.sh y.js'],
    ['cd sub && npm test', 'package.json t.test.js'],
    ['npm run all', 'a.ts package.json'],
    ['npm run both', 'a.ts package.json y.js'],
    ['node --run build', 'package.json x.js x.sh'],
    ['run-p part:*', 'a.ts package.json'],
    ['npm ci', 'package.json'],
    ['make all', 'Makefile'],
    ['make -C sub', 'Makefile'],
    ['mocha t.test.js a.ts', 'a.ts t.test.js'],
    ['psql -d db -f x.sql', 'x.sql'],
    ['psql --file=x.sql', 'x.sql'],
    ['psql db < x.sql', 'x.sql'],
    ['psql -c "\\i x.sql"', 'x.sql'],
    ['cat x.sql | psql db', 'x.sql'],
    ['mysql db < x.sql', 'x.sql'],
    ['mysql -e "source x.sql" db', 'x.sql'],
    ['sqlite3 a.db < x.sql', 'x.sql'],
    ['sqlite3 a.db ".read x.sql"', 'x.sql'],
    ['ssh host < x.sh', 'x.sh'],
    ['ssh host bash -s < x.sh', 'x.sh'],
    ['git bisect run ./x.sh', 'x.sh'],
    ['flock lock sh x.sh', 'x.sh'],
    ['xvfb-run -a node x.js', 'x.js'],
    ['torsocks ./x.sh', 'x.sh'],
    ['systemd-run --user --wait python x.py', 'x.py'],
    ['hyperfine "node x.js"', 'x.js'],
    ['watchexec -e js -- node x.js', 'x.js'],
    ['nix develop -c sh x.sh', 'x.sh'],
    ['nix-shell --run "sh x.sh"', 'x.sh'],
    ['direnv exec . node x.js', 'x.js'],
    ['split --filter "sh x.sh" data.json', 'x.sh'],
    ['some-new-tool --exec "node x.js"', 'x.js'],
    ['some-new-tool --title "data.json"', ''],
    ['git -C sub bisect run sh x.sh', 'x.sh'],
    ['mix run x.exs', 'x.exs'],
    ['ansible-playbook -i hosts x.yml', 'x.yml'],
    ['kubectl apply -f x.yml', 'x.yml'],
    ['docker compose -f x.yml up', 'x.yml'],
    ['docker run --rm -v .:/w img sh /w/x.sh', 'x.sh'],
    ['docker run -v $PWD:/w img bash -c "cd /w && /w/sub/x.sh"', 'sub/x.sh'],
    ['docker run --mount type=bind,source=.,target=/w img /w/x.sh', 'x.sh'],
    ['docker run -v ./x.sh:/x.sh img /x.sh', 'x.sh'],
    ['tmux new -d -s a ./x.sh', 'x.sh'],
    ['tmux new-session -d "sh x.sh"', 'x.sh'],
    ['screen -dm -S a ./x.sh', 'x.sh'],
    ['npx eslint --config conf.mjs a.ts', 'conf.mjs'],
    ['eslint --fix a.ts', ''],
    ['cat x.sh', ''],
    ['cat x.sql | grep a', ''],
    ['docker ps', ''],
    ['tmux ls', ''],
    ['git bisect good', ''],
    ['git log -- x.js', ''],
    ['prettier --check a.ts', ''],
    ['tsc -p .', ''],
    ['echo x.js', ''],
    ['node missing.js', ''],
    ['bash "unclosed', ''],
    ['constructor x.js', ''],
  ];

  it('are its scripts and what loads them, not what they work on', async () => {
    const read: [string, string][] = [];
    for (const [command] of cases) {
      const found = (await commandFiles(command, root)).map((file) => path.relative(root, file)).sort();
      read.push([command, found.join(' ')]);
    }
    assert.deepEqual(read, cases);
  });

  it('are few, however long a command is', async () => {
    assert.ok((await commandFiles(`node x.js; ${'node missing.js; '.repeat(2000)}`, root)).length <= 50);
  });

  it('are those of the words of a program too', async () => {
    assert.deepEqual(await programFiles(['node', 'x.js', '--stdio'], root), [path.join(root, 'x.js')]);
  });
});
