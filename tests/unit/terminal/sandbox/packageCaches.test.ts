import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CacheCopies } from '../../../../src/services/terminal/sandbox/caches/packageCaches';
import { toolOfFile, toolsInCommand, type PackageTool } from '../../../../src/services/terminal/sandbox/caches/packageTools';
import { CancelledError } from '../../../../src/utils/errors';
import { until } from '../../../support/until';

/** Path of cp(1) on Linux and macOS. Windows has no sandbox. */
const cp = '/bin/cp';

if (process.platform !== 'win32')
  describe('Package caches in the sandbox', () => {
    let home: string;
    let folder: string;
    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'caches-'));
      folder = join(home, 'private');
      mkdirSync(folder);
    });
    afterEach(() => rmSync(home, { recursive: true }));

    const add = (path: string, text = '12345') => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
      return join(home, path);
    };
    const needs = (...tools: PackageTool[]) => ({ tools: new Set(tools), signal: new AbortController().signal });
    const writableOf = async (copies: CacheCopies, ...tools: PackageTool[]) =>
      (await copies.prepare(needs(...tools))).mounts.flatMap(({ to, isWritable }) =>
        isWritable ? [to.slice(home.length + 1)] : [],
      );

    it('are copied for the tools that need them, once', async () => {
      const index = add('.npm/_cacache/index');
      add('.cargo/registry/crate');
      add('.cache/pip/wheel');
      const copies = new CacheCopies(folder, cp, { home });
      assert.deepEqual(await writableOf(copies), ['.cache', '.npm']);
      assert.deepEqual(readdirSync(folder).sort(), ['.cache', '.npm']);
      assert.deepEqual(await writableOf(copies, 'node'), ['.cache', '.npm', '.npm/_cacache']);
      assert.equal(readFileSync(join(folder, 'npm-cacache/index'), 'utf8'), '12345');
      writeFileSync(index, 'new');
      assert.deepEqual(await writableOf(copies, 'rust', 'python'), [
        ...['.cache', '.npm', '.npm/_cacache', '.cache/pip', '.cargo/registry'],
      ]);
      assert.equal(readFileSync(join(folder, 'npm-cacache/index'), 'utf8'), '12345');
    });

    it('stay read-only without a copy, and their content is what the user has', async () => {
      const own = dirname(add('.cache/pip/wheel'));
      add('.cache/go-build/x');
      const cache = dirname(add('.npm/_cacache/index'));
      const { mounts } = await new CacheCopies(folder, cp, { home }).prepare(needs('go'));
      assert.deepEqual(
        mounts.filter(({ isWritable }) => !isWritable),
        [own, cache].map((path) => ({ from: path, to: path, isWritable: false })),
      );
    });

    it('stay read-only if they are too large, or if there is no cp', async () => {
      add('.npm/_cacache/index');
      add('.cargo/registry/crate', '1234');
      const limited = new CacheCopies(folder, cp, { home, limit: 4 });
      assert.deepEqual(await writableOf(limited, 'node', 'rust'), ['.npm', '.cargo/registry']);
      const other = join(home, 'other');
      assert.deepEqual(await writableOf(new CacheCopies(other, null, { home }), 'rust'), ['.npm']);
    });

    it('are copied for the next command after one failed to write there', async () => {
      add('.m2/repository/jar');
      const copies = new CacheCopies(folder, cp, { home });
      assert.deepEqual(await writableOf(copies), []);
      copies.noteDenied([join(home, '.m2/repository/new.jar'), '/etc/x']);
      assert.deepEqual(await writableOf(copies), ['.m2/repository']);
    });

    /** Creates a cp(1) that waits for the file `go`. Returns its path. */
    const slowCp = () => {
      const file = add(
        'bin/cp',
        `#!/bin/sh\ntouch '${home}/began'\nuntil test -e '${home}/go' || ! test -e '${home}'; do sleep 0.02; done\nexec ${cp} "$@"\n`,
      );
      chmodSync(file, 0o755);
      return file;
    };

    it('report what the user waits for, only while it takes long', async () => {
      add('.npm/_cacache/index', 'x'.repeat(2_100_000));
      const notes: (string | null)[] = [];
      const onNote = (note: string | null) => void notes.push(note);
      const copies = new CacheCopies(folder, slowCp(), { home, noticeMs: 0 });
      const ready = copies.prepare({ ...needs('node'), onNote });
      await until(() => notes.some((note) => note?.includes('MB') === true));
      assert.equal(notes.at(-1), 'Copying package caches for the sandbox (2 MB)…');
      // Another command in the same window waits for the same copy.
      const second = writableOf(copies, 'node');
      writeFileSync(join(home, 'go'), '');
      await ready;
      assert.equal(notes.at(-1), null);
      assert.deepEqual(await second, ['.npm', '.npm/_cacache']);
      const count = notes.length;
      await copies.prepare({ ...needs('node'), onNote });
      assert.equal(notes.length, count);
    });

    it('end with Stop, also for a command that waits for another, and leave nothing that counts as a copy', async () => {
      add('.npm/_cacache/index');
      const copies = new CacheCopies(folder, slowCp(), { home });
      const first = new AbortController();
      const second = new AbortController();
      const running = copies.prepare({ tools: new Set(['node']), signal: first.signal });
      running.catch(() => undefined);
      await until(() => existsSync(join(home, 'began')));
      const waiting = copies.prepare({ tools: new Set(['node']), signal: second.signal });
      second.abort();
      await assert.rejects(waiting, CancelledError);
      first.abort();
      await assert.rejects(running, CancelledError);
      assert.equal(existsSync(join(folder, 'npm-cacache')), false);
      writeFileSync(join(home, 'go'), '');
      assert.deepEqual(await writableOf(copies, 'node'), ['.npm', '.npm/_cacache']);
    });

    it('lose the unfinished copies of windows that are gone', async () => {
      add('.npm/_cacache/index');
      mkdirSync(join(folder, 'npm-cacache.new-999999999'));
      await writableOf(new CacheCopies(folder, cp, { home }), 'node');
      assert.deepEqual(readdirSync(folder).sort(), ['.npm', 'npm-cacache']);
    });
  });

describe('The tools of a command', () => {
  it('are those that it names', () => {
    for (const [command, tools] of [
      ['npm ci && npx tsc', ['node']],
      ['CARGO_NET_OFFLINE=1 cargo build', ['rust']],
      ['python3.12 -m pytest', ['python']],
      ['./mvnw -o test; dotnet test', ['java', 'dotnet']],
      ['bin/go test ./...', ['go']],
      ['make', []],
      ['echo ok; cat cargos.txt', []],
    ] as const)
      assert.deepEqual(toolsInCommand(command), tools, command);
  });

  it('are those whose projects are in the workspace', () => {
    assert.deepEqual(['package.json', 'Cargo.toml', 'App.csproj', 'pom.xml', 'README.md', 'toString'].map(toolOfFile), [
      'node',
      'rust',
      'dotnet',
      'java',
      undefined,
      undefined,
    ]);
  });
});
