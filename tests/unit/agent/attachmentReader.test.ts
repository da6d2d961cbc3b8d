import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AttachmentReader, type AttachmentConcern } from '../../../src/agent/prompt/attachmentReader';
import type { AttachmentRef } from '../../../src/protocol/entries';
import { databaseFileName, leaseFileName } from '../../../src/services/database/sqlite/databaseFile';
import { AppError } from '../../../src/utils/errors';
import { FileSensitivity } from '../../../src/utils/sensitivity/fileSensitivity';
import { png } from '../../support/images';
import { ToolBench } from './support/toolBench';

describe('attachments', () => {
  let bench: ToolBench;
  let asked: [string, AttachmentConcern][];
  let isWanted: boolean;
  let inEditor: Map<string, string>;
  let reader: AttachmentReader;

  const file = (name: string): AttachmentRef => ({ kind: 'file', path: name });
  const told = (words: RegExp) => (error: unknown) => error instanceof AppError && words.test(error.userMessage);

  beforeEach(async () => {
    bench = await ToolBench.start();
    asked = [];
    isWanted = true;
    inEditor = new Map();
    reader = new AttachmentReader(bench.paths, {
      openText: (real) => inEditor.get(real),
      confirm: async (shown, concern) => {
        asked.push([shown, concern]);
        return isWanted;
      },
    });
    await mkdir(bench.file('src'));
    await writeFile(bench.file('src/a.ts'), 'one\ntwo\nthree\nfour\n');
  });
  afterEach(() => bench.stop());

  it('a file is read whole, a selection by its lines, both by their path in the workspace', async () => {
    assert.deepEqual(await reader.read(file(bench.file('src/a.ts'))), {
      kind: 'file',
      path: 'src/a.ts',
      content: 'one\ntwo\nthree\nfour',
    });
    const lines: AttachmentRef = { kind: 'selection', path: 'src/a.ts', startLine: 2, endLine: 3 };
    assert.deepEqual(await reader.read(lines), { ...lines, content: 'two\nthree' });
    assert.deepEqual(asked, []);
  });

  it('attachments are read without a question up to the first one that needs one', async () => {
    await writeFile(bench.file('.env'), 'KEY=1\n');
    const read = async (...items: AttachmentRef[]) => (await reader.readUnasked(items)).map((item) => item.path);
    const folder: AttachmentRef = { kind: 'folder', path: 'src' };
    assert.deepEqual(await read(file('src/a.ts'), file('.env'), file('src/a.ts')), ['src/a.ts']);
    assert.deepEqual(await read(file('missing.ts'), file('src/a.ts')), []);
    assert.deepEqual(await read(folder, file('src/a.ts')), []);
    assert.deepEqual(asked, []);
    await reader.read(file('.env'));
    assert.deepEqual(await read(file('.env'), file('src/a.ts')), ['.env', 'src/a.ts']);
    assert.equal(asked.length, 1);
  });

  it('an image is kept when it is attached, by the same rules; without a store, or in another format, it is refused', async () => {
    const image = { hash: 'a'.repeat(64), type: 'image/png', width: 3, height: 2 } as const;
    const kept: Uint8Array[] = [];
    const keep = async (bytes: Uint8Array) => {
      kept.push(bytes);
      return image;
    };
    const closed = bench.file('shot.PNG');
    const secret = bench.file('.env.png');
    await writeFile(closed, png(3, 2));
    await writeFile(secret, png(3, 2));
    const editor = { openText: () => undefined, confirm: async () => false };
    const withImages = new AttachmentReader(bench.paths, editor, undefined, { keep });
    assert.deepEqual(await withImages.checkAll([file(closed)]), {
      items: [{ kind: 'image', path: 'shot.PNG', image }],
      problems: [],
    });
    assert.deepEqual(kept, [png(3, 2)]);
    assert.deepEqual((await reader.checkAll([file(closed)])).problems, [
      'shot.PNG is a binary file. Only text files can be attached.',
    ]);
    const outside = path.join(bench.file('..'), 'outside.png');
    await writeFile(outside, png(3, 2));
    assert.deepEqual((await withImages.checkAll([file(outside)])).items, []);
    assert.equal(kept.length, 1);
  });

  it('what is in the editor and not saved is what is sent', async () => {
    inEditor.set(bench.file('src/a.ts'), 'unsaved\nwords');
    assert.equal((await reader.read(file('src/a.ts'))).content, 'unsaved\nwords');
  });

  it('more than 200 KB are left out, and the text says so', async () => {
    const line = 'x'.repeat(99);
    await writeFile(bench.file('long.txt'), `${line}\n`.repeat(3000));
    const { content = '' } = await reader.read(file('long.txt'));
    const [last, ...text] = content.split('\n').reverse();
    assert.equal(last, '[Left out: lines 2049 to 3000, because an attachment holds at most 200 KB.]');
    assert.deepEqual([text.length, new Set(text).size], [2048, 1]);
    await writeFile(bench.file('wide.txt'), 'x'.repeat(300_000));
    const wide = (await reader.read(file('wide.txt'))).content ?? '';
    assert.match(wide, /^x{204800}\n\[Left out: the rest of line 1 and what follows it, .*\]$/);
  });

  const refused: [string, () => Promise<string>, RegExp][] = [
    ['a binary file', async () => written('a.bin', Buffer.from([1, 0, 2])), /a\.bin is a binary file/],
    ['a folder', async () => 'src', /src is a folder/],
    ['a missing file', async () => 'src/none.ts', /The file src\/none\.ts no longer exists/],
    ['a relative way out', async () => '../other.txt', /outside the workspace/],
    [
      'a pipe',
      async () => {
        execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', bench.file('pipe')]);
        return 'pipe';
      },
      /pipe is not a regular file/,
    ],
    ['a file of more than 20 MB', async () => written('huge.log', Buffer.alloc(20 * 1024 * 1024 + 1, 'x')), /larger than 20 MB/],
  ];
  for (const [what, make, words] of refused) {
    it(`${what} is refused in words, and nothing is asked`, async () => {
      const item = file(await make());
      await assert.rejects(reader.check(item), told(words));
      await assert.rejects(reader.read(item), told(words));
      assert.deepEqual(asked, []);
    });
  }

  it('lines that are not there any more are refused', async () => {
    await assert.rejects(
      reader.read({ kind: 'selection', path: 'src/a.ts', startLine: 9, endLine: 12 }),
      told(/has only 4 lines/),
    );
  });

  it('a file outside the workspace is asked about, once, and goes by its real path', async () => {
    const outside = path.join(bench.root, 'notes.txt');
    await writeFile(outside, 'note');
    await symlink(outside, bench.file('link.txt'));
    const item = await reader.check(file(bench.file('link.txt')));
    assert.deepEqual(item, file(outside));
    assert.equal((await reader.read(file(outside))).content, 'note');
    assert.deepEqual(asked, [[outside, 'outside']]);
  });

  it('the database of the chats is refused in any form of its path, with a folder open and with none', async () => {
    const storage = path.join(bench.root, 'storage');
    await mkdir(storage);
    for (const name of [databaseFileName, leaseFileName]) await writeFile(path.join(storage, name), 'words');
    const database = path.join(storage, databaseFileName);
    const link = path.join(bench.root, 'link.txt');
    await symlink(database, link);
    const refused = told(/contains the chats of Ollama Copilot/);
    for (const form of [database, link, `/${database}`]) await assert.rejects(reader.check(file(form)), refused, form);
    bench.folders.length = 0;
    for (const form of [database, link, `/${database}`]) await assert.rejects(reader.read(file(form)), refused, form);
    assert.deepEqual(asked, []);
  });

  it('what may hold keys is asked about; declined it is not attached, and keeps a message that has it from being sent', async () => {
    await written('.env', Buffer.from('KEY=1'));
    isWanted = false;
    assert.equal(await reader.check(file('.env')), null);
    await assert.rejects(reader.read(file('.env')), told(/\.env is not attached/));
    assert.deepEqual(asked, [
      ['.env', 'sensitive'],
      ['.env', 'sensitive'],
    ]);
  });

  it('what may hold keys is asked about by either name of a link, and in a workspace of several folders by either form of its path', async () => {
    await written('.env', Buffer.from('KEY=1'));
    await mkdir(bench.file('.ssh'));
    await written('.ssh/config.txt', Buffer.from('Host x'));
    await written('plain.txt', Buffer.from('plain'));
    for (const [target, name] of [
      ['.env', 'to-env.txt'],
      ['.ssh/config.txt', 'to-ssh.txt'],
      ['plain.txt', 'id_rsa'],
      ['plain.txt', 'to-plain.txt'],
    ] as const)
      await symlink(bench.file(target), bench.file(name));
    for (const name of ['to-env.txt', 'to-ssh.txt', 'id_rsa', 'to-plain.txt', bench.file('to-env.txt')])
      await reader.check(file(name));
    assert.deepEqual(asked, [
      ['.env', 'sensitive'],
      ['.ssh/config.txt', 'sensitive'],
      ['plain.txt', 'sensitive'],
    ]);
    asked = [];
    const other = path.join(bench.root, 'other');
    await mkdir(path.join(other, 'private'), { recursive: true });
    await writeFile(path.join(other, 'private/a.txt'), 'a');
    bench.folders.push({ name: 'other', path: other });
    const confirm = async (shown: string, concern: AttachmentConcern) => {
      asked.push([shown, concern]);
      return true;
    };
    const editor = { openText: () => undefined, confirm };
    reader = new AttachmentReader(bench.paths, editor, () => new FileSensitivity({ '/private/**': false, 'private/**': false }));
    await reader.check(file('other/private/a.txt'));
    assert.deepEqual(asked, [['other/private/a.txt', 'sensitive']]);
  });

  it('text that looks like a key is asked about, of the disk and of an editor, unless a person has freed the file', async () => {
    const text = `export TOKEN=npm_${'a1B2'.repeat(9)}`;
    await writeFile(bench.file('run.sh'), `one\n${text}\n`);
    isWanted = false;
    assert.equal(await reader.check(file('run.sh')), null);
    assert.equal(await reader.check({ kind: 'selection', path: 'run.sh', startLine: 1, endLine: 1 }), null);
    inEditor.set(bench.file('src/a.ts'), text);
    await assert.rejects(reader.read(file('src/a.ts')), told(/src\/a\.ts is not attached/));
    assert.deepEqual(asked, [
      ['run.sh', 'sensitive'],
      ['run.sh', 'sensitive'],
      ['src/a.ts', 'sensitive'],
    ]);
    const editor = { openText: () => undefined, confirm: () => Promise.reject(new Error('asked')) };
    const freeing = new AttachmentReader(bench.paths, editor, () => new FileSensitivity({ 'run.sh': true }));
    assert.match((await freeing.read(file('run.sh'))).content ?? '', /npm_/);
  });

  it('what is attached is what was asked about, not what is in its place after the answer', async () => {
    await writeFile(bench.file('.env'), 'asked about');
    await writeFile(path.join(bench.root, 'private.txt'), 'hidden words');
    const editor = {
      openText: () => undefined,
      confirm: async () => {
        await rm(bench.file('.env'));
        await symlink(path.join(bench.root, 'private.txt'), bench.file('.env'));
        return true;
      },
    };
    assert.equal((await new AttachmentReader(bench.paths, editor).read(file('.env'))).content, 'asked about');
  });

  it('what cannot be attached keeps none of the others out', async () => {
    const { items, problems } = await reader.checkAll([file('src'), file('src/a.ts')]);
    assert.deepEqual(items, [file('src/a.ts')]);
    assert.equal(problems.length, 1);
  });

  async function written(name: string, content: Buffer): Promise<string> {
    await writeFile(bench.file(name), content);
    return name;
  }
});
