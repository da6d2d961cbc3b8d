import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { maxMatches, SearchError, type TextQuery, type TextSearcher } from '../../../../src/services/search/textQuery';
import { CancelledError } from '../../../../src/utils/errors';
import { temporaryName } from '../../../../src/utils/files/temporaryName';
import { makeStorage } from '../../../support/storageFolder';

const never = new AbortController().signal;

/** Tests the contract of every text search. */
export function textSearchContract(name: string, searcherHere: () => TextSearcher | Promise<TextSearcher>): void {
  describe(`text search with ${name}`, () => {
    let root: string;
    let folder: string;
    let searcher: TextSearcher;
    before(async () => {
      searcher = await searcherHere();
    });
    beforeEach(async () => {
      root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-search-')));
      folder = path.join(root, 'project');
      await mkdir(folder);
    });
    afterEach(() => rm(root, { recursive: true, force: true }));

    async function put(files: Record<string, string | Buffer>): Promise<void> {
      for (const [file, content] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
        await writeFile(path.join(folder, file), content);
      }
    }

    async function found(query: Omit<TextQuery, 'folder' | 'isRegex'> & { isRegex?: boolean }): Promise<string[]> {
      const { matches } = await searcher.search({ folder, isRegex: false, ...query }, never);
      return matches.map(({ path: file, line, text }) => `${file}:${line}: ${text}`).sort();
    }

    it('enters no storage of ours, and leaves its database out where it is the folder itself', async () => {
      await put({ 'a.txt': 'needle', 'store/deep/b.txt': 'needle' });
      makeStorage(path.join(folder, 'store'));
      await put({ 'store/sessions.sqlite-wal': 'needle' });
      await put({ 'named/sessions.sqlite': '', 'named/sessions.sqlite.in-use': '', 'named/c.txt': 'needle' });
      assert.deepEqual(await found({ text: 'needle' }), ['a.txt:1: needle', 'named/c.txt:1: needle']);
      folder = path.join(folder, 'store');
      assert.deepEqual(await found({ text: 'needle' }), ['deep/b.txt:1: needle']);
    });

    it('finds lines in every folder, whatever the case unless the query has capitals', async () => {
      await put({ 'a.ts': 'one\nTwo (2)\n', 'deep/b.ts': 'x\r\ntwo (2)\r\n', '.hidden/c.ts': 'two (2)' });
      assert.deepEqual(await found({ text: 'two (2)' }), ['.hidden/c.ts:1: two (2)', 'a.ts:2: Two (2)', 'deep/b.ts:2: two (2)']);
      assert.deepEqual(await found({ text: 'Two (2)' }), ['a.ts:2: Two (2)']);
    });

    it('takes a line whole, with separators of lines and paragraphs in it', async () => {
      await put({ 'notes.md': 'cost of wood: 4\nnothing\nTotal\u2028cost: 12 EUR\nx\u2029y\u0085z\rcost\nlast cost: 8\n' });
      assert.deepEqual(await found({ text: 'cost' }), [
        'notes.md:1: cost of wood: 4',
        'notes.md:3: Total\u2028cost: 12 EUR',
        'notes.md:4: x\u2029y\u0085z\rcost',
        'notes.md:5: last cost: 8',
      ]);
      assert.deepEqual(await found({ text: 'Total.cost', isRegex: true }), ['notes.md:3: Total\u2028cost: 12 EUR']);
    });

    it('cuts a long line between characters', async () => {
      for (const padding of ['', 'a', 'aa', 'aaa']) {
        await put({ 'long.txt': `${padding}${'🥛👩‍👧'.repeat(3000)}needle${'👍🏽é'.repeat(3000)}` });
        const [line = ''] = await found({ text: 'needle' });
        assert.ok(line.includes('needle') && line.isWellFormed() && !line.includes('\uFFFD'), line);
        assert.ok(line.length < 230, `${line.length}`);
        assert.match(line, /^long\.txt:1: …(🥛|👩‍👧).*(👍🏽|é)…$/u);
      }
    });

    it('passes over what is just being written beside a file', async () => {
      await put({ 'a.tmp': 'needle', [`deep/${temporaryName()}`]: 'needle' });
      assert.deepEqual(await found({ text: 'needle' }), ['a.tmp:1: needle']);
    });

    it('takes a regular expression where it is one', async () => {
      await put({ 'a.ts': 'foo1\nfoo.\n' });
      assert.deepEqual(await found({ text: 'foo\\d', isRegex: true }), ['a.ts:1: foo1']);
      assert.deepEqual(await found({ text: 'foo.' }), ['a.ts:2: foo.']);
      await assert.rejects(
        found({ text: '(', isRegex: true }),
        (error) => error instanceof SearchError && error.code === 'pattern',
      );
    });

    it('counts capitals of letters, not of the signs of a regular expression', async () => {
      await put({ 'a.ts': 'Bar\nbar Bar\n' });
      assert.deepEqual(await found({ text: '^\\Sar$', isRegex: true }), ['a.ts:1: Bar']);
      assert.deepEqual(await found({ text: '\\p{Lu}ar', isRegex: true }), await found({ text: '\\war', isRegex: true }));
      assert.deepEqual(await found({ text: '(?P<Name>b)ar', isRegex: true }), ['a.ts:1: Bar', 'a.ts:2: bar Bar']);
      assert.deepEqual(await found({ text: '(?i)^BAR ', isRegex: true }), ['a.ts:2: bar Bar']);
      assert.deepEqual(await found({ text: '\\Sar B', isRegex: true }), ['a.ts:2: bar Bar']);
      assert.deepEqual(await found({ text: '\\Sar b', isRegex: true }), ['a.ts:2: bar Bar']);
    });

    it('takes signs that are escaped without need', async () => {
      await put({ 'a.ts': 'x = "a-b" @c\n' });
      assert.deepEqual(await found({ text: '\\"a\\-b\\" \\@', isRegex: true }), ['a.ts:1: x = "a-b" @c']);
    });

    it('finds the ends of lines whatever they are, and the beginning behind a mark', async () => {
      await put({ 'a.ts': 'one\r\ntwo\r\n', 'b.ts': '\uFEFFone\n' });
      assert.deepEqual(await found({ text: '^one$', isRegex: true }), ['a.ts:1: one', 'b.ts:1: one']);
    });

    it('finds what is in no UTF-8', async () => {
      await put({ 'a.txt': Buffer.from('caf\xe9 needle\n', 'latin1') });
      assert.deepEqual(await found({ text: 'needle' }), ['a.txt:1: caf\uFFFD needle']);
    });

    it('heeds .gitignore files, deeper ones last, and the folders nobody searches', async () => {
      await put({
        '.gitignore': '*.log\n/out/\nnotes/*\n!notes/keep.txt\n',
        'a.log': 'needle',
        'out/a.txt': 'needle',
        'src/out/a.txt': 'needle',
        'src/.gitignore': '!*.log\n',
        'src/b.log': 'needle',
        'notes/a.txt': 'needle',
        'notes/keep.txt': 'needle',
        'node_modules/x/a.js': 'needle',
        '.git/config': 'needle',
      });
      assert.deepEqual(await found({ text: 'needle' }), [
        'notes/keep.txt:1: needle',
        'src/b.log:1: needle',
        'src/out/a.txt:1: needle',
      ]);
    });

    it('heeds the rules above a folder of a repository, but not of a repository that ignores it', async () => {
      await mkdir(path.join(root, '.git'));
      await writeFile(path.join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
      await put({ 'dist/a.txt': 'needle', 'b.txt': 'needle' });
      await writeFile(path.join(root, '.gitignore'), 'dist/\n');
      assert.deepEqual(await found({ text: 'needle' }), ['b.txt:1: needle']);
      await writeFile(path.join(root, '.gitignore'), '*\n');
      assert.deepEqual(await found({ text: 'needle' }), ['b.txt:1: needle', 'dist/a.txt:1: needle']);
    });

    it('looks into no sensitive file, whatever it is asked to include', async () => {
      await put({ '.env': 'SECRET=1', 'keys/a.pem': 'SECRET', '.env.example': 'SECRET=' });
      assert.deepEqual(await found({ text: 'SECRET' }), ['.env.example:1: SECRET=']);
      assert.deepEqual(await found({ text: 'SECRET', include: '.env,**/*.pem' }), []);
    });

    it('knows a sensitive file by its path in its folder and by the one with the name of that folder', async () => {
      await put({ 'private/a.txt': 'SECRET', 'b.txt': 'SECRET', 'c.txt': 'SECRET' });
      const sensitive = [{ 'private/**': false, 'web/b.txt': false, 'other/c.txt': false }];
      assert.deepEqual(await found({ text: 'SECRET', sensitive, prefix: 'web/' }), ['c.txt:1: SECRET']);
    });

    it('follows no link and passes over binary and large files', async () => {
      await writeFile(path.join(root, 'outside.txt'), 'needle');
      await mkdir(path.join(root, 'outside'));
      await writeFile(path.join(root, 'outside', 'a.txt'), 'needle');
      await put({ binary: Buffer.from('needle\0'), large: `needle\n${'x'.repeat(2 * 1024 * 1024)}`, 'a.txt': 'needle' });
      await put({ 'late.bin': `needle\n${'text\n'.repeat(100_000)}\0` });
      await symlink(path.join(root, 'outside.txt'), path.join(folder, 'link.txt'));
      await symlink(path.join(root, 'outside'), path.join(folder, 'linked'));
      assert.deepEqual(await found({ text: 'needle' }), ['a.txt:1: needle']);
    });

    it('includes by names that contain brackets or braces', async () => {
      for (const file of ['app/[id]/page.tsx', 'app/i/page.tsx', 'app/[[...step-by]]/page.tsx', '{{name}}/+page.py'])
        await put({ [file]: 'x' });
      assert.deepEqual(await found({ text: 'x', include: 'app/[id]' }), ['app/[id]/page.tsx:1: x']);
      assert.deepEqual(await found({ text: 'x', include: './app/[id]/' }), ['app/[id]/page.tsx:1: x']);
      assert.deepEqual(await found({ text: 'x', include: 'app/[[...step-by]]/**/*.tsx' }), ['app/[[...step-by]]/page.tsx:1: x']);
      assert.deepEqual(await found({ text: 'x', include: '{{name}}' }), ['{{name}}/+page.py:1: x']);
      assert.deepEqual(await found({ text: 'x', include: 'app/{[id],i}' }), ['app/[id]/page.tsx:1: x', 'app/i/page.tsx:1: x']);
    });

    it('includes a folder, and finds text, of the other Unicode form', async () => {
      await put({ 'docs/U\u0308ber/a.md': 'Gru\u0308\u00dfe\nGr\u00fc\u00dfe\nGrusse' });
      const lines = ['docs/U\u0308ber/a.md:1: Gru\u0308ße', 'docs/U\u0308ber/a.md:2: Gr\u00fc\u00dfe'];
      for (const [text, isRegex] of [
        ['gr\u00fc', false],
        ['gru\u0308', false],
        ['gr\u00fc+', true],
        ['gru\u0308.e', true],
      ] as const)
        assert.deepEqual(await found({ text, isRegex, include: 'docs/\u00dcber' }), lines, text);
    });

    it('includes by glob, by file and by folder', async () => {
      await put({ 'a.ts': 'x', 'src/b.ts': 'x', 'src/c.js': 'x', 'ignored.ts': 'x', '.gitignore': 'ignored.ts' });
      assert.deepEqual(await found({ text: 'x', include: '*.ts' }), ['a.ts:1: x', 'src/b.ts:1: x']);
      assert.deepEqual(await found({ text: 'x', include: 'src' }), ['src/b.ts:1: x', 'src/c.js:1: x']);
      assert.deepEqual(await found({ text: 'x', include: './src/' }), ['src/b.ts:1: x', 'src/c.js:1: x']);
      assert.deepEqual(await found({ text: 'x', include: '*.js, a.ts' }), ['a.ts:1: x', 'src/c.js:1: x']);
      assert.deepEqual(await found({ text: 'x', include: '.' }), await found({ text: 'x' }));
    });

    it('reads UTF-16 and names what is not ASCII', async () => {
      await put({ 'grün.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('ähre 🌾 nadel', 'utf16le')]) });
      assert.deepEqual(await found({ text: 'nadel' }), ['grün.txt:1: ähre 🌾 nadel']);
    });

    it('shows a long line around what was found', async () => {
      await put({ 'a.txt': `${'a'.repeat(500)}needle${'b'.repeat(500)}` });
      const [line] = await found({ text: 'needle' });
      assert.match(line ?? '', /^a\.txt:1: …a{50}needleb{144}…$/);
    });

    it('stops when there is enough', async () => {
      const lines = 'needle\n'.repeat(100);
      await put(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}.txt`, lines])));
      const { matches, cut } = await searcher.search({ folder, text: 'needle', isRegex: false }, never);
      assert.deepEqual([matches.length, cut], [maxMatches, 'count']);
    });

    it('ends when it is no longer wanted', async () => {
      await put({ 'a.txt': `${'a'.repeat(40)}b\n` });
      const stopping = new AbortController();
      const searching = searcher.search({ folder, text: '(a+)+$', isRegex: true }, stopping.signal);
      stopping.abort();
      await assert.rejects(searching, CancelledError);
    });

    it('a query that looks like an option is a query', async () => {
      await put({ 'a.txt': '--files' });
      assert.deepEqual(await found({ text: '--files' }), ['a.txt:1: --files']);
    });
  });
}
