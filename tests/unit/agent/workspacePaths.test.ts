import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PathError, type PathErrorReason } from '../../../src/services/files/pathError';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { leaseFileName } from '../../../src/services/database/sqlite/databaseFile';
import { ToolBench } from './support/toolBench';

describe('workspace paths', () => {
  let bench: ToolBench;
  afterEach(() => bench.stop());

  const refused = (reason: PathErrorReason) => (error: unknown) => error instanceof PathError && error.reason === reason;

  describe('in one folder', () => {
    beforeEach(async () => {
      bench = await ToolBench.start();
      await mkdir(bench.file('src'));
      await writeFile(bench.file('src/a.ts'), '');
      await mkdir(path.join(bench.root, 'outside'));
      await writeFile(path.join(bench.root, 'outside/secret'), '');
      await symlink('src', bench.file('inner'));
      await symlink(path.join(bench.root, 'outside'), bench.file('exit'));
      await symlink(path.join(bench.root, 'outside/secret'), bench.file('secret-link'));
      await symlink(path.join(bench.root, 'nowhere'), bench.file('dangling'));
      await symlink('loop', bench.file('loop'));
      await mkdir(bench.file('.git'));
      await symlink('.git', bench.file('harmless'));
    });

    const accepted: [string, string, boolean][] = [
      ['src/a.ts', 'src/a.ts', true],
      ['./src/a.ts', 'src/a.ts', true],
      ['src\\a.ts', 'src/a.ts', true],
      ['src/../src/a.ts', 'src/a.ts', true],
      ['src//a.ts', 'src/a.ts', true],
      ['inner/a.ts', 'src/a.ts', true],
      ['new/deep/b.ts', 'new/deep/b.ts', false],
      ['inner/new.ts', 'src/new.ts', false],
      ['.', '.', true],
      ['a..b/...c', 'a..b/...c', false],
      ['grün 🥛.txt', 'grün 🥛.txt', false],
    ];
    for (const [given, shown, exists] of accepted) {
      it(`takes ${given} for ${shown}`, async () => {
        const found = await bench.paths.resolve(given);
        assert.deepEqual([found.real, found.shown, found.exists], [path.join(bench.file(), shown), shown, exists]);
        assert.deepEqual([found.isOutside, found.root], [false, bench.file()]);
      });
    }

    it('takes an absolute path inside the workspace', async () => {
      assert.equal((await bench.paths.resolve(bench.file('src/a.ts'))).shown, 'src/a.ts');
    });

    it('takes an absolute path through a link to the workspace', async () => {
      await symlink(bench.file(), path.join(bench.root, 'alias'));
      assert.equal((await bench.paths.resolve(path.join(bench.root, 'alias/src/a.ts'))).shown, 'src/a.ts');
    });

    const otherThere = [
      'a.txt:stream',
      'src/.git::$DATA',
      'con',
      'src/NUL.txt',
      'com¹.log',
      'conin$',
      'x.',
      'sub. /a',
      'x ',
      'a?b',
    ];
    for (const given of otherThere) {
      it(`refuses ${given} on Windows, where it means something else`, async () => {
        const paths = new WorkspacePaths({ folders: () => bench.folders }, 'win32');
        await assert.rejects(paths.locate(given), refused('invalid'));
      });
    }

    it('takes ordinary names on Windows', async () => {
      const paths = new WorkspacePaths({ folders: () => bench.folders }, 'win32');
      for (const given of ['console.ts', 'src/icon', 'null', '.env', './src/a.ts', 'com10'])
        assert.equal((await paths.locate(given)).isOutside, false);
    });

    const rejected: [PathErrorReason, string[]][] = [
      [
        'outside',
        ['..', '../outside/secret', 'src/../../outside/secret', '..\\outside\\secret', '/', '/etc/passwd', '/etc/../etc/passwd'],
      ],
      ['outside', ['exit', 'exit/secret', 'exit/new.txt', 'secret-link', 'dangling', 'dangling/x', 'inner/../exit/secret']],
      ['outside', ['//server/share/x', '\\\\server\\share\\x', '\\\\?\\C:\\x', '\\\\.\\pipe\\x', '//etc/passwd']],
      ['outside', ['C:\\Windows\\x', 'c:/x', 'C:x', 'Z:', '~', '~/x', '~\\x']],
      ['invalid', ['', '  ', 'a\0b', 'a\nb', 'a\u007fb', 'file:///etc/passwd', 'https://example.org/x', 'vscode-remote://x/y']],
      ['invalid', ['loop', 'loop/x', 'src/a.ts/x']],
    ];
    for (const [reason, given] of rejected) {
      for (const one of given) {
        it(`refuses ${JSON.stringify(one)} (${reason})`, async () => {
          await assert.rejects(bench.paths.resolve(one), refused(reason));
        });
      }
    }

    it('refuses a sibling whose name begins like the workspace', async () => {
      await mkdir(`${bench.file()}-copy`);
      await assert.rejects(bench.paths.resolve(`${bench.file()}-copy/x`), refused('outside'));
      await assert.rejects(bench.paths.resolve(`../${path.basename(bench.file())}-copy/x`), refused('outside'));
    });

    it('refuses the database of the chats and what belongs to it, wherever it is, and no other of that name', async () => {
      for (const folder of [bench.file('storage'), path.join(bench.root, 'outside')]) {
        await mkdir(folder, { recursive: true });
        await writeFile(path.join(folder, 'sessions.sqlite'), '');
        const file = path.join(folder, 'sessions.sqlite-wal');
        assert.equal((await bench.paths.locate(file)).real, file);
        await writeFile(path.join(folder, leaseFileName), '');
        await assert.rejects(bench.paths.locate(file), refused('ownDatabase'));
        for (const name of ['sessions.sqlite', 'Sessions.SQLite'])
          await assert.rejects(bench.paths.locate(path.join(folder, name)), refused('ownDatabase'));
        await bench.paths.locate(path.join(folder, 'other'));
      }
      await symlink('storage/sessions.sqlite', bench.file('notes.txt'));
      await assert.rejects(bench.paths.locate('notes.txt'), refused('ownDatabase'));
    });

    it('knows what is outside by its real path', async () => {
      const secret = path.join(bench.root, 'outside/secret');
      for (const given of ['../outside/secret', 'exit/secret', 'secret-link', secret]) {
        const { real, shown, exists, isOutside } = await bench.paths.locate(given);
        assert.deepEqual(
          { real, shown, exists, isOutside },
          { real: secret, shown: secret, exists: true, isOutside: true },
          given,
        );
      }
      assert.equal((await bench.paths.locate('harmless/config')).shown, '.git/config');
      assert.deepEqual((await bench.paths.locate('harmless/config')).names, ['harmless/config', '.git/config']);
    });
  });

  describe('in several folders', () => {
    beforeEach(async () => {
      bench = await ToolBench.start('web', 'api');
      await writeFile(path.join(bench.folders[1]?.path ?? '', 'a.ts'), '');
    });

    it("takes the folder's name first and shows it", async () => {
      const [, api] = bench.folders;
      assert.deepEqual(await bench.paths.resolve('api/a.ts'), {
        real: path.join(api?.path ?? '', 'a.ts'),
        shown: 'api/a.ts',
        exists: true,
        names: ['a.ts', 'api/a.ts'],
        realNames: ['a.ts', 'api/a.ts'],
        isOutside: false,
        root: api?.path,
      });
      assert.equal((await bench.paths.resolve('./web/x/../b.ts')).shown, 'web/b.ts');
    });

    it('names the folders when the path begins with none of them', async () => {
      await assert.rejects(bench.paths.resolve('a.ts'), (error) => {
        assert.equal(
          error instanceof PathError && error.userMessage,
          'The workspace has several folders. Start the path with one of: web, api.',
        );
        return true;
      });
    });

    it('does not lead out of a folder by `..`', async () => {
      await assert.rejects(bench.paths.resolve('web/../x'), refused('outside'));
    });
  });

  it('without a folder there is nothing to resolve', async () => {
    bench = await ToolBench.start();
    bench.folders.length = 0;
    await assert.rejects(bench.paths.resolve('a.ts'), refused('noFolder'));
  });
});
