import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { applyPatchTool } from '../../../../src/agent/tools/edit/applyPatch';
import { applyHunks } from '../../../../src/agent/tools/edit/patchPlaces';
import { parsePatch } from '../../../../src/agent/tools/edit/patchText';
import { unifiedDiff } from '../../../../src/utils/text/unifiedDiff';
import { rounds, runSeed } from '../../../support/rounds';
import { ToolBench } from '../support/toolBench';

const code = `class Cart {
  constructor() {
    this.items = [];
  }

  add(item) {
    this.items.push(item);
    return this;
  }

  total() {
    let sum = 0;
    for (const item of this.items) {
      sum += item.price;
    }
    return sum;
  }
}

class Basket {
  total() {
    return 0;
  }
}
`;

/** Expected result of each patch on `code`. */
const intended = code.replace('sum += item.price;', 'sum += item.price * item.count;');
const body = [
  '     for (const item of this.items) {',
  '-      sum += item.price;',
  '+      sum += item.price * item.count;',
  '     }',
];
const marked = (...lines: string[]) => ['*** Begin Patch', '*** Update File: cart.js', ...lines, '*** End Patch'].join('\n');
const unified = (...lines: string[]) => ['--- a/cart.js', '+++ b/cart.js', ...lines].join('\n');

/** The same change in the forms that models write. */
const shapes: Record<string, string> = {
  'as the form says': marked('@@', ...body),
  'with the function above': marked('@@   total() {', ...body),
  'with class and function above': marked('@@ class Cart {', '@@   total() {', ...body),
  'without @@': marked(...body),
  'with @@ at both ends': marked('@@ total() { @@', ...body),
  'without begin and end': marked('@@', ...body)
    .split('\n')
    .slice(1, -1)
    .join('\n'),
  'without the end': marked('@@', ...body)
    .split('\n')
    .slice(0, -1)
    .join('\n'),
  'in a code block': `\`\`\`diff\n${marked('@@', ...body)}\n\`\`\``,
  'in a shell command': `apply_patch <<'EOF'\n${marked('@@', ...body)}\nEOF`,
  'with empty lines at its end': marked('@@', ...body, '', ''),
  'with the end of file marked though it is not there': marked('@@', ...body, '*** End of File'),
  'as a unified diff': unified('@@ -12,5 +12,5 @@', ...body),
  'as a unified diff with a wrong place': unified('@@ -1,5 +1,5 @@', ...body),
  'as a unified diff with wrong counts': unified('@@ -12,99 +12,1 @@', ...body),
  'as a unified diff without numbers': unified('@@ ... @@', ...body),
  'as a unified diff with the function': unified('@@ -12,5 +12,5 @@ total() {', ...body),
  'as git writes it': `diff --git a/cart.js b/cart.js\nindex 1..2 100644\n${unified('@@ -12,5 +12,5 @@', ...body)}`,
  'as a unified diff with times': ['--- cart.js\t2026-01-01', '+++ cart.js\t2026-01-02', '@@ -12,5 +12,5 @@', ...body].join('\n'),
  'as a diff in a code block': `Here it is:\n\`\`\`diff\n${unified('@@ -12,5 +12,5 @@', ...body)}\n\`\`\`\n`,
  'with CRLF': marked('@@', ...body).replaceAll('\n', '\r\n'),
  'with spaces at line ends': marked('@@', ...body.map((line, index) => (index === 0 ? `${line}  ` : line))),
  'less indented': marked(
    '@@',
    ...body.map((line) => (line.startsWith(' ') ? ` ${line.slice(3)}` : `${line[0]}${line.slice(3)}`)),
  ),
  'indented with tabs': marked('@@', ...body.map((line) => `${line[0]}${line.slice(1).replace('    ', '\t\t')}`)),
  'with stale context above': marked('@@', '     for (const one of all) {', ...body.slice(1)),
  'with stale context below': marked('@@', ...body.slice(0, 3), '     } // for'),
  'with only the changed lines': marked('@@', ...body.slice(1, 3)),
  'with context whose space is missing': marked('@@', ...body.map((line) => (line.startsWith(' ') ? line.slice(1) : line))),
};

describe('apply_patch', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await ToolBench.start();
    await writeFile(bench.file('cart.js'), code);
  });
  afterEach(() => bench.stop());
  const run = (patch: string) => bench.run(applyPatchTool(bench.editing), { patch });
  const text = (name: string) => readFile(bench.file(name), 'utf8');

  const forms: Record<string, (whole: string) => string> = {
    'a file': (whole) => whole,
    'a file with CRLF': (whole) => whole.replaceAll('\n', '\r\n'),
    'a file without a last line end': (whole) => whole.trimEnd(),
    'a file with lines before it': (whole) => `${'// one more line\n'.repeat(40)}${whole}`,
    'a file with a like function before it': (whole) => `function total() {\n  return 1;\n}\n${whole}`,
    'a file with mixed line ends': (whole) =>
      whole.replace('class Cart {\n', 'class Cart {\r\n').replace('return 0;\n', 'return 0;\r\n'),
    'a file with other letters': (whole) => `// Größe 大小 👩‍🚀\n${whole}`,
    'a file with tabs elsewhere': (whole) => `${whole}function tail() {\n\treturn 1;\n}\n`,
  };
  for (const [shape, patch] of Object.entries(shapes)) {
    it(`changes what is meant when written ${shape}, in ${Object.keys(forms).length} forms of the file`, () => {
      const [file] = parsePatch(patch);
      assert.ok(file?.kind === 'modify' && file.path === 'cart.js', JSON.stringify(file));
      for (const [form, made] of Object.entries(forms))
        assert.deepEqual([form, applyHunks(made(code), file.hunks)], [form, { text: made(intended) }]);
    });
  }

  it('changes, creates, deletes and renames in one go, or nothing', async () => {
    await writeFile(bench.file('old.txt'), 'one\ntwo\n');
    await writeFile(bench.file('gone.txt'), 'gone\n');
    const parts = [
      '*** Begin Patch',
      ...['*** Add File: src/new.txt', '+first', '+', '+third'],
      ...['*** Delete File: gone.txt'],
      ...['*** Update File: old.txt', '*** Move to: src/moved.txt', '@@', ' one', '-two', '+2'],
      ...['*** Update File: cart.js', ...body],
    ];
    const broken = [...parts, '@@', '-not there', '+at all', '*** End Patch'].join('\n');
    const refused = await run(broken);
    assert.deepEqual([refused.status, bench.touches.length, await text('cart.js')], ['error', 0, code]);
    assert.match(refused.content, /Nothing was changed in any file\.\ncart\.js: Part 2 of 2: its lines are not in the file/);
    const result = await run([...parts, '*** End Patch'].join('\n'));
    assert.deepEqual(
      [result.content, result.summary],
      ['Created src/new.txt: +3 −0\nDeleted gone.txt: +0 −1\nRenamed to src/moved.txt: +1 −1\nChanged cart.js: +1 −1', '+5 −3'],
    );
    assert.deepEqual(
      [await text('src/new.txt'), await text('src/moved.txt'), await text('cart.js')],
      ['first\n\nthird\n', 'one\n2\n', intended],
    );
    assert.deepEqual([existsSync(bench.file('gone.txt')), existsSync(bench.file('old.txt'))], [false, false]);
    assert.deepEqual(
      bench.edits.map(({ operation, path }) => `${operation} ${path}`),
      ['create src/new.txt', 'delete gone.txt', 'rename old.txt', 'modify cart.js'],
    );
  });

  it('is named by its file, and by a short name where there are several', () => {
    const tool = applyPatchTool(bench.editing);
    const parts = ['*** Begin Patch', '*** Update File: src/lib/cart.js', ...body];
    assert.equal(tool.label({ patch: [...parts, '*** End Patch'].join('\n') }), 'src/lib/cart.js');
    const patch = [...parts, '*** Delete File: gone.txt', '*** End Patch'].join('\n');
    assert.equal(tool.label({ patch }), 'cart.js and 1 more file');
  });

  it('asks once for all files', async () => {
    const patch = ['*** Begin Patch', '*** Update File: cart.js', ...body, '*** Add File: .env', '+KEY=1', '*** End Patch'].join(
      '\n',
    );
    bench.isApproved = false;
    assert.deepEqual([(await run(patch)).status, await text('cart.js'), bench.questions.length], ['denied', code, 1]);
    assert.deepEqual([bench.questions[0]?.path, bench.questions[0]?.reasons], ['cart.js, .env', ['.env: may contain secrets']]);
    assert.match(bench.questions[0]?.diff ?? '', /item\.count[\s\S]*\+KEY=1/);
    bench.isApproved = true;
    assert.equal((await run(patch)).status, 'success');
    assert.equal(bench.questions.length, 2);
  });

  it('names where a file goes, also among several', async () => {
    await writeFile(bench.file('old.txt'), 'old\n');
    const moved = ['*** Update File: old.txt', '*** Move to: .env'];
    const patch = ['*** Begin Patch', '*** Update File: cart.js', ...body, ...moved, '*** End Patch'].join('\n');
    bench.isApproved = false;
    assert.equal((await run(patch)).status, 'denied');
    assert.equal(bench.questions[0]?.path, 'cart.js, old.txt → .env');
  });

  it('takes back what it has changed where a later file cannot be', async () => {
    await mkdir(bench.file('locked'));
    await writeFile(bench.file('locked/a.txt'), 'a\n');
    bench.onTouch = async ({ shown }) => {
      if (shown === 'locked/a.txt') await writeFile(bench.file('locked/a.txt'), 'of somebody else\n');
    };
    const patch = ['*** Begin Patch', '*** Update File: cart.js', ...body, '*** Add File: b.txt', '+b'];
    const result = await run([...patch, '*** Update File: locked/a.txt', '@@', '-a', '+b', '*** End Patch'].join('\n'));
    assert.deepEqual([result.status, await text('cart.js'), existsSync(bench.file('b.txt'))], ['error', code, false]);
    assert.match(result.content, /changed in the meantime[^]*Nothing was changed in any file/);
    assert.equal(await text('locked/a.txt'), 'of somebody else\n');
    assert.deepEqual(bench.edits, []);
  });

  it('restores every byte where a later file cannot be changed', async () => {
    const bytes: [string, Buffer][] = [
      ['latin.txt', Buffer.from('gr\xfcn\n', 'latin1')],
      ['wide.txt', Buffer.from('\uFEFFgrün\r\n', 'utf16le')],
      ['image.png', Buffer.from([0x89, 0x50, 0, 1])],
    ];
    for (const [name, content] of bytes) await writeFile(bench.file(name), content);
    await writeFile(bench.file('marked.txt'), 'a \uFFFD\n');
    await writeFile(bench.file('last.txt'), 'a\n');
    bench.onTouch = async ({ shown }) => {
      if (shown === 'last.txt') await writeFile(bench.file('last.txt'), 'of somebody else\n');
    };
    const deleted = bytes.map(([name]) => `*** Delete File: ${name}`);
    const changed = ['*** Update File: marked.txt', '@@', '-a \uFFFD', '+b', '*** Update File: last.txt', '@@', '-a', '+b'];
    const { content } = await run(['*** Begin Patch', ...deleted, ...changed, '*** End Patch'].join('\n'));
    assert.match(content, /Nothing was changed in any file/);
    for (const [name, before] of bytes) assert.deepEqual(await readFile(bench.file(name)), before, name);
    assert.equal(await text('marked.txt'), 'a \uFFFD\n');
  });

  it('says why where it is not sure, and what is nearest', async () => {
    const refusals: [string, RegExp][] = [
      [marked('@@', '   total() {', '+    // here'), /in the file 2 times, at lines 11, 21/],
      [marked('@@', '-      sum += items.price;', '+      x'), /nearest ones[\s\S]*14: {7}sum \+= item\.price/],
      [marked('@@ class Cat {', '+  // here'), /not in the file exactly once/],
      [marked('@@', ' class Cart {'), /no line begins with \+ or -/],
      ['Change the total.', /names no file/],
      ['*** Begin Patch\n*** Delete File: none.txt\n*** End Patch', /There is no file none\.txt/],
      ['*** Begin Patch\n*** Add File: cart.js\n+x\n*** End Patch', /already exists/],
      [marked(...body, '*** Delete File: cart.js'), /cart\.js is in the patch twice/],
    ];
    for (const [patch, words] of refusals) {
      const { status, content } = await run(patch);
      assert.deepEqual([patch, status, await text('cart.js')], [patch, 'error', code]);
      assert.match(content, words);
    }
    await chmod(bench.file('cart.js'), 0o444);
    assert.match((await run(marked(...body))).content, /read-only/);
  });

  it('puts parts of one file together that stand apart', async () => {
    assert.equal(
      (await run(marked(...body, '*** Update File: cart.js', '@@', '-class Basket {', '+class Bag {'))).status,
      'success',
    );
    assert.equal(await text('cart.js'), intended.replace('Basket', 'Bag'));
  });

  it('puts a line in by what stands above it, by a number, or at the end', () => {
    const inserted = (patch: string) => {
      const [file] = parsePatch(patch);
      assert.ok(file?.kind === 'modify');
      return applyHunks('a\nb {\nc\n', file.hunks);
    };
    assert.deepEqual(inserted(marked('@@ b {', '+new')), { text: 'a\nb {\nnew\nc\n' });
    assert.deepEqual(inserted(unified('@@ -1,0 +2 @@', '+new')), { text: 'a\nnew\nb {\nc\n' });
    assert.deepEqual(inserted(marked('@@', '+new', '*** End of File')), { text: 'a\nb {\nc\nnew\n' });
    assert.deepEqual(inserted(unified('@@ -3 +3 @@', '-c', '+c', '\\ No newline at end of file')), { text: 'a\nb {\nc' });
  });

  it('reads names as git writes them', () => {
    const files = parsePatch(
      [
        'diff --git a/x y.txt b/x y.txt',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/x y.txt',
        '@@ -0,0 +1 @@',
        '+hello',
        'diff --git a/gone b/gone',
        'deleted file mode 100644',
        '--- a/gone',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-x',
        'diff --git a/one b/two',
        'similarity index 100%',
        'rename from one',
        'rename to two',
      ].join('\n'),
    );
    assert.deepEqual(files, [
      { kind: 'create', path: 'x y.txt', text: 'hello\n' },
      { kind: 'delete', path: 'gone' },
      { kind: 'modify', path: 'one', newPath: 'two', hunks: [] },
    ]);
  });

  it('makes of a text what was meant, or refuses, whatever the numbers say', () => {
    const line = fc.constantFrom('a', 'b', 'c', '  d', '', 'e {', '}', 'long line of its own');
    const property = fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.array(line, { maxLength: 30 }),
      fc.integer({ min: -40, max: 40 }),
      (before, after, off) => {
        const [old, made] = [before, after].map((lines) => lines.map((one) => `${one}\n`).join('')) as [string, string];
        fc.pre(old !== made && old !== '');
        const { diff } = unifiedDiff({ before: 'f', after: 'f' }, old, made);
        const exact = parsePatch(diff)[0];
        assert.ok(exact?.kind === 'modify');
        assert.deepEqual(applyHunks(old, exact.hunks), { text: made });
        const [shifted] = parsePatch(
          diff.replaceAll(/^@@ -(\d+)/gm, (_all, from: string) => `@@ -${Math.max(1, Number(from) + off)}`),
        );
        assert.ok(shifted?.kind === 'modify');
        const result = applyHunks(old, shifted.hunks);
        // A wrong line number that fits another place cannot be detected.
        if ('text' in result) assert.equal(result.text.split('\n').length, made.split('\n').length);
      },
    );
    fc.assert(property, { numRuns: rounds(100), seed: runSeed() });
  });
});
