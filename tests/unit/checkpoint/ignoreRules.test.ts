import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import type { ObjectBatch } from '../../../src/services/checkpoint/engine/objects/objectBatch';
import { builtInLeftOut } from '../../../src/services/checkpoint/host/builtInLeftOut';
import { builtInExcludes } from '../../../src/services/git/builtInExcludes';
import { FolderRules } from '../../../src/services/git/ignoreRules';
import { repositoryAt, type GitEnvironment } from '../../../src/services/git/repository';
import { fileFlags, isNameOnly } from '../../../src/services/checkpoint/engine/scan/scannedFile';
import { WorkspaceScanner } from '../../../src/services/checkpoint/engine/scan/workspaceScanner';
import { systemClock } from '../../../src/utils/clock';
import { seeds } from '../../support/rounds';
import { generateTree, rules } from './support/generatedTree';
import { Seeded } from './support/seeded';

/** Batch that already contains all content. */
const nothingNew = { has: () => true, add: () => undefined, note: () => undefined } as unknown as ObjectBatch;

let home: string;
let environment: GitEnvironment;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-home-'));
  environment = { home, configHome: path.join(home, '.config'), systemConfig: path.join(home, 'none') };
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function git(folder: string, ...args: string[]): string[] {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: environment.configHome, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', maxBuffer: 64 << 20 })
    .split('\0')
    .filter((name) => name !== '');
}

/** Creates a repository as `git init` does, but without starting a process. */
function makeRepository(root: string, ignoresCase: boolean): void {
  for (const folder of ['objects', 'refs', 'info']) mkdirSync(path.join(root, '.git', folder), { recursive: true });
  writeFileSync(path.join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(path.join(root, '.git', 'config'), `[core]\n\trepositoryformatversion = 0\n\tignorecase = ${ignoresCase}\n`);
}

/** Returns the stored files. Excludes files of which only the name is stored. */
function takenBy({ files }: WorkspaceScanner): string[] {
  // Also excludes small text files that are stored although the built-in list leaves them out. See uncovered.test.ts.
  return [...files].flatMap(([file, state]) => (isNameOnly(state) || state.flags & fileFlags.spared ? [] : [file])).sort();
}

/** Returns the files that a scan stores. `isBare` disables the built-in list. */
function scanned(root: string, { exclude = [], isBare = true }: { exclude?: string[]; isBare?: boolean } = {}): string[] {
  const scanner = new WorkspaceScanner(root, nodeFileSystem, environment, systemClock);
  const options = { maxFileBytes: 1e9, exclude, kept: new Set<string>(), isCancelled: () => false, isBare };
  scanner.scan(nothingNew, options);
  return takenBy(scanner);
}

function foldersIn(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const inside = entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => path.join(parentPath, name));
  return ['', ...inside.map((folder) => path.relative(root, folder)).filter((folder) => !folder.startsWith('.git'))];
}

describe('ignore rules', () => {
  for (const part of [0, 1, 2, 3, 4]) {
    it(`are git's on generated trees, ${part + 1} of 5`, function () {
      this.timeout(0);
      for (const seed of seeds(5).map((number) => number * 5 + part)) {
        const random = new Seeded(seed);
        const root = path.join(home, `tree${seed}`);
        generateTree(root, random);
        const ignoresCase = random.chance(25);
        makeRepository(root, ignoresCase);
        if (random.chance(40)) writeFileSync(path.join(root, '.git', 'info', 'exclude'), rules(random));
        mkdirSync(path.join(home, '.config', 'git'), { recursive: true });
        writeFileSync(path.join(home, '.config', 'git', 'ignore'), random.chance(30) ? rules(random) : '');
        if (!ignoresCase && random.chance(30))
          git(root, 'add', '-f', '--', random.pick(readdirSync(root).filter((name) => name !== '.git')));
        const expected = git(root, 'ls-files', '-z', '-co', '--exclude-standard').sort();
        assert.deepEqual(scanned(root), expected, `seed ${seed}`);
        rmSync(root, { recursive: true });
      }
    });
  }

  it("are git's with the built-in list as its weakest file, with nested repositories as folders, and without tracked files that are gone", function () {
    this.timeout(0);
    for (const seed of seeds(5).map((number) => number + 1_000)) {
      const random = new Seeded(seed);
      const root = path.join(home, `tree${seed}`);
      generateTree(root, random);
      makeRepository(root, false);
      const folders = foldersIn(root);
      for (const name of ['node_modules/x.js', 'dist/y.js', 'z.pyc', '.env/w', 'coverage', 'venv/kept.txt']) {
        const file = path.join(root, random.pick(folders), name);
        if (!random.chance(60)) continue;
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, name);
      }
      const own = random.chance(50) ? rules(random) : '';
      mkdirSync(path.join(home, '.config', 'git'), { recursive: true });
      writeFileSync(path.join(home, '.config', 'git', 'ignore'), own);
      const weakest = path.join(home, 'weakest');
      writeFileSync(weakest, `${builtInExcludes}\n${own}`);
      git(root, 'add', '-f', '--', random.pick(readdirSync(root).filter((name) => name !== '.git')));
      const [gone] = git(root, 'ls-files', '-z');
      if (gone !== undefined && random.chance(30)) rmSync(path.join(root, gone));
      const deleted = new Set(git(root, 'ls-files', '-z', '-d'));
      const expected = git(root, '-c', `core.excludesFile=${weakest}`, 'ls-files', '-z', '-co', '--exclude-standard')
        .filter((name) => !deleted.has(name))
        .sort();
      // Created last. Otherwise Git would list only the folder (`n/`).
      const nested = path.join(root, random.pick(folders));
      if (nested !== root && existsSync(nested)) makeRepository(nested, false);
      assert.deepEqual(scanned(root, { isBare: false }), expected, `seed ${seed}`);
      rmSync(root, { recursive: true });
    }
  });

  it("are git's on this repository, but for the built-in list", () => {
    const top = path.join(__dirname, '../../../..');
    environment = { home: homedir(), configHome: path.join(homedir(), '.config'), systemConfig: '/etc/gitconfig' };
    const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: top, encoding: 'utf8' });
    const deleted = new Set(execFileSync('git', ['ls-files', '-z', '-d'], { cwd: top, encoding: 'utf8' }).split('\0'));
    const expected = listed.split('\0').filter((name) => name !== '' && !deleted.has(name));
    assert.deepEqual(scanned(top), [...new Set(expected)].sort());
  });

  it('hold from the repository above the workspace folder, unless it ignores the folder', () => {
    const root = path.join(home, 'repository');
    mkdirSync(path.join(root, 'part', 'inner'), { recursive: true });
    git(root, 'init', '-q');
    writeFileSync(path.join(root, '.gitignore'), '*.tmp\n/part/inner/own\n');
    for (const name of ['one.tmp', 'two', 'inner/own', 'inner/other']) writeFileSync(path.join(root, 'part', name), name);
    assert.deepEqual(scanned(path.join(root, 'part')), ['inner/other', 'two']);
    writeFileSync(path.join(root, '.gitignore'), '*.tmp\npart/\n');
    assert.deepEqual(scanned(path.join(root, 'part')), ['inner/other', 'inner/own', 'one.tmp', 'two']);
  });

  it("of the built-in list give way to the project's, and all to the setting", () => {
    const root = path.join(home, 'plain');
    for (const name of ['dist/a.js', 'out/b.js', 'src/c.js', 'src/d.log', 'notes/e.txt', '.env/f']) {
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(root, name), name);
    }
    writeFileSync(path.join(root, '.gitignore'), '!dist/\n');
    assert.deepEqual(scanned(root, { isBare: false }), ['.gitignore', 'dist/a.js', 'notes/e.txt', 'src/c.js']);
    assert.deepEqual(scanned(root, { isBare: false, exclude: ['dist', '!*.log', '/notes'] }), [
      '.gitignore',
      'src/c.js',
      'src/d.log',
    ]);
  });

  it('leave out folders of sources and of output alike at the top only, where no repository says what is ignored', () => {
    const root = path.join(home, 'sources');
    const names = ['build', 'coverage', 'env', 'logs', 'out', 'target', 'vendor'];
    const top = names.map((name) => `${name}/a.ts`);
    const deep = names.map((name) => `src/${name}/a.ts`);
    for (const name of [...top, ...deep, 'src/node_modules/a.ts']) {
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(root, name), name);
    }
    assert.deepEqual(scanned(root, { isBare: false }), deep);
    assert.deepEqual(builtInLeftOut(root, []).sort(), names);
    assert.deepEqual(builtInLeftOut(root, ['!/build/']).sort(), names.slice(1));
    assert.deepEqual(scanned(root, { isBare: false, exclude: ['!/build/'] }), ['build/a.ts', ...deep]);
    makeRepository(root, false);
    assert.deepEqual(scanned(root, { isBare: false }), [...top, ...deep].sort());
    assert.deepEqual(builtInLeftOut(root, []), []);
    writeFileSync(path.join(root, '.gitignore'), 'target/\n');
    assert.ok(!scanned(root, { isBare: false }).some((name) => name.includes('target/')));
  });

  it('never hide a tracked file, and never enter .git, whoever nests it', () => {
    const root = path.join(home, 'repository');
    for (const name of ['node_modules/kept/a.js', 'node_modules/b.js', 'nested/.git/HEAD', 'nested/c.js', 'nested/.gitignore']) {
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(root, name), '');
    }
    git(root, 'init', '-q');
    git(root, 'add', '-f', 'node_modules/kept/a.js');
    assert.deepEqual(scanned(root, { isBare: false }), ['nested/.gitignore', 'nested/c.js', 'node_modules/kept/a.js']);
    git(root, 'update-index', '--index-version', '4');
    assert.deepEqual(scanned(root, { isBare: false }), ['nested/.gitignore', 'nested/c.js', 'node_modules/kept/a.js']);
    git(root, 'update-index', '--split-index');
    assert.deepEqual(scanned(root, { isBare: false }), ['nested/.gitignore', 'nested/c.js', 'node_modules/kept/a.js']);
  });

  it('never hide what a nested repository tracks, as long as it does', async () => {
    const root = path.join(home, 'repository');
    const inner = path.join(root, 'part', 'inner');
    for (const name of ['dist/a.js', 'dist/b.js', '.cache/c.js', 'own.tmp', 'deep/dist/d.js', 'dist/more/e.js']) {
      mkdirSync(path.join(inner, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(inner, name), name);
    }
    git(root, 'init', '-q');
    // No ignore rule hides files that the nested repository tracks.
    writeFileSync(path.join(root, '.gitignore'), '*.tmp\n');
    git(inner, 'init', '-q');
    const scanner = new WorkspaceScanner(root, nodeFileSystem, environment, systemClock);
    const options = { maxFileBytes: 1_000_000, exclude: [], kept: new Set<string>(), isCancelled: () => false };
    const scan = () => {
      scanner.scan(nothingNew, options);
      return takenBy(scanner);
    };
    const inInner = (...names: string[]) => ['.gitignore', ...names.map((name) => `part/inner/${name}`)].sort();
    assert.deepEqual(scan(), inInner());
    git(inner, 'add', '-f', 'dist/a.js', 'own.tmp', 'deep/dist/d.js');
    const tracked = inInner('deep/dist/d.js', 'dist/a.js', 'own.tmp');
    assert.deepEqual(scan(), tracked);
    assert.deepEqual(scanned(root, { isBare: false }), tracked);
    // The outer repository does not track this file, although the nested one tracks a file with the same name.
    mkdirSync(path.join(root, 'dist'));
    writeFileSync(path.join(root, 'dist', 'a.js'), '');
    assert.deepEqual(scan(), tracked);
    git(inner, 'add', '-f', 'dist/more');
    // The changed index was not reported, so a full scan is needed.
    const look = () => scanner.scanPaths(new Set(['part/inner/dist/a.js']), nothingNew, options);
    assert.equal(look(), null);
    assert.deepEqual(scan(), [...tracked, 'part/inner/dist/more/e.js'].sort());
    // Once the index is old enough not to be racy, single paths can be scanned again.
    // eslint-disable-next-line waits/long -- 100 ms is the coarsest clock of a file system that the scan allows for.
    await setTimeout(150);
    scan();
    assert.deepEqual(look()?.changes, new Map());
    git(inner, 'rm', '-q', '-r', '--cached', 'dist');
    assert.deepEqual(scan(), inInner('deep/dist/d.js', 'own.tmp'));
    rmSync(path.join(inner, '.git'), { recursive: true });
    assert.deepEqual(scan(), inInner());
  });

  it('never hide what a very large index tracks', () => {
    const root = path.join(home, 'r');
    mkdirSync(path.join(root, 'out'), { recursive: true });
    writeFileSync(path.join(root, '.gitignore'), 'out\n');
    writeFileSync(path.join(root, 'out', 'kept.js'), '');
    git(root, 'init', '-q');
    git(root, 'add', '.gitignore');
    const hash = git(root, 'hash-object', '-w', '--', 'out/kept.js')[0]?.trim();
    const long = ['d', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'].map((letter) => letter.repeat(200)).join('/');
    const gone = Array.from({ length: 10_000 }, (_, index) => `${long}/${String(index).padStart(6, '0')}`);
    const input = [...gone, 'out/kept.js'].map((name) => `100644 ${hash} 0\t${name}\n`).join('');
    execFileSync('git', ['update-index', '--index-info'], { cwd: root, input });
    assert.ok(statSync(path.join(root, '.git', 'index')).size > 16 * 1024 * 1024);
    assert.deepEqual(scanned(root), ['.gitignore', 'out/kept.js']);
  });

  it('are those without an index where it is cut off or has no end', () => {
    const root = path.join(home, 'r');
    mkdirSync(path.join(root, 'out'), { recursive: true });
    for (const file of ['a.js', 'out/b.js']) writeFileSync(path.join(root, file), '');
    writeFileSync(path.join(root, '.gitignore'), 'out\n');
    git(root, 'init', '-q');
    git(root, 'add', '-f', 'a.js', 'out/b.js');
    const index = path.join(root, '.git', 'index');
    const whole = readFileSync(index);
    assert.deepEqual(scanned(root), ['.gitignore', 'a.js', 'out/b.js']);
    const endless = Buffer.alloc(200, 'x');
    whole.copy(endless, 0, 0, 8);
    endless.writeUInt32BE(0xffff_ffff, 8);
    for (const bad of [endless, whole.subarray(0, 100), whole.subarray(0, 50)]) {
      writeFileSync(index, bad);
      assert.deepEqual(scanned(root), ['.gitignore', 'a.js']);
    }
  });

  it('come from a file that is named from the top of the working tree', () => {
    const root = path.join(home, 'r');
    mkdirSync(root);
    for (const file of ['a.js', 'b.own']) writeFileSync(path.join(root, file), '');
    writeFileSync(path.join(root, '.mine'), '*.own\n');
    git(root, 'init', '-q');
    git(root, 'config', 'core.excludesFile', '.mine');
    assert.deepEqual(scanned(root), git(root, 'ls-files', '-z', '-co', '--exclude-standard').sort());
    assert.deepEqual(scanned(root), ['.mine', 'a.js']);
  });

  it('take a folder that nobody may enter, or whose .git leads nowhere, for one without a repository', () => {
    const root = path.join(home, 'r');
    const failing = (prefix: string, code: string) => ({
      ...nodeFileSystem,
      lstat: (file: string) => {
        if (file.startsWith(prefix)) throw Object.assign(new Error(code), { code, syscall: 'lstat' });
        return nodeFileSystem.lstat(file);
      },
    });
    const repositoryIn = (prefix: string, code: string) => repositoryAt(root, failing(prefix, code), environment);
    makeRepository(root, false);
    assert.notEqual(repositoryIn(path.join(home, 'another'), 'EACCES'), null);
    assert.equal(repositoryIn(root, 'EACCES'), null);
    assert.equal(repositoryIn(path.join(root, '.git', 'HEAD'), 'EACCES'), null);
    assert.throws(() => repositoryIn(path.join(root, '.git', 'HEAD'), 'EIO'), { code: 'EIO' });
    rmSync(path.join(root, '.git'), { recursive: true });
    writeFileSync(path.join(root, 'a.js'), '');
    for (const target of [path.join(home, 'gone'), `/${'x'.repeat(5000)}`, 'a\0b', path.join(root, '.git')]) {
      writeFileSync(path.join(root, '.git'), `gitdir: ${target}\n`);
      assert.deepEqual(scanned(root), ['a.js']);
    }
  });

  it('are none where a file of them is nothing to be read, and an error where it could not be read just now', () => {
    const root = path.join(home, 'r');
    makeRepository(root, false);
    writeFileSync(path.join(root, 'a.js'), '');
    writeFileSync(path.join(root, '.gitignore'), '*.js\n');
    const takenBy = (code: string) => {
      const fileSystem = {
        ...nodeFileSystem,
        read: (...given: Parameters<typeof nodeFileSystem.read>) => {
          if (nodeFileSystem.stat(given[0]).size === 5) throw Object.assign(new Error(code), { code, syscall: 'read' });
          return nodeFileSystem.read(...given);
        },
      };
      return FolderRules.of(root, { fileSystem, environment, exclude: [] }).isIgnored('a.js', false);
    };
    assert.equal(takenBy('EINVAL'), false);
    for (const code of ['EIO', 'ESTALE']) assert.throws(() => takenBy(code), { code });
  });

  it('take any pattern in bounded time', () => {
    const root = path.join(home, 'slow');
    mkdirSync(root);
    writeFileSync(path.join(root, '.gitignore'), `${'a*'.repeat(60)}b\n${'**/a*'.repeat(30)}/b\n`);
    writeFileSync(path.join(root, 'a'.repeat(200)), '');
    assert.deepEqual(scanned(root), ['.gitignore', 'a'.repeat(200)]);
  });

  it('are read from the folders of the rules on the way, in the right order', () => {
    assert.ok(builtInExcludes.includes('node_modules/'));
    const rulesOf = FolderRules.of(home, { fileSystem: nodeFileSystem, environment, exclude: [] });
    assert.deepEqual([rulesOf.isIgnored('node_modules', true), rulesOf.isIgnored('node_modules', false)], [true, false]);
  });
});

describe('the names of a Mac', () => {
  const decomposed = 'u\u0308bersicht.txt';
  let root: string;
  beforeEach(() => {
    root = path.join(home, 'mac');
    makeRepository(root, true);
    // Typed patterns are in composed form.
    writeFileSync(path.join(root, '.gitignore'), '\u00fcbersicht.txt\n\u00f6/*.log\n');
    mkdirSync(path.join(root, 'o\u0308'));
    for (const name of [decomposed, 'o\u0308/a.log', 'other']) writeFileSync(path.join(root, name), '');
  });

  it('are composed before a rule is applied, if Git is configured so', () => {
    writeFileSync(path.join(root, '.git', 'config'), '[core]\n\tprecomposeUnicode = true\n');
    environment = { ...environment, isMac: true };
    assert.deepEqual(scanned(root), ['.gitignore', 'other']);
  });

  it('are taken as they are elsewhere, as by Git', () => {
    const all = ['.gitignore', 'o\u0308/a.log', 'other', decomposed].sort();
    environment = { ...environment, isMac: true };
    assert.deepEqual(scanned(root), all);
    writeFileSync(path.join(root, '.git', 'config'), '[core]\n\tprecomposeUnicode = true\n');
    environment = { ...environment, isMac: false };
    assert.deepEqual(scanned(root), all);
    assert.deepEqual(git(root, 'ls-files', '-zco', '--exclude-standard').sort(), all);
  });

  it('are tracked where Git has them composed', () => {
    writeFileSync(path.join(root, '\u00fcbersicht.txt'), '');
    git(root, 'add', '-f', '\u00fcbersicht.txt');
    rmSync(path.join(root, '\u00fcbersicht.txt'));
    writeFileSync(path.join(root, '.git', 'config'), '[core]\n\tprecomposeUnicode = true\n');
    environment = { ...environment, isMac: true };
    assert.deepEqual(scanned(root), ['.gitignore', 'other', decomposed]);
  });
});
