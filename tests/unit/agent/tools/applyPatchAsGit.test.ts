import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { applyPatchTool } from '../../../../src/agent/tools/edit/applyPatch';
import { rounds, seeds } from '../../../support/rounds';
import { ToolBench } from '../support/toolBench';

type Tree = Record<string, string>;

interface Case {
  before: Tree;
  after: Tree;
  /** True if every line of a file is unique. */
  isUnique: boolean;
}

const seed = seeds(1)[0] ?? 1;
const numbers = fc.array(fc.nat({ max: 39 }), { minLength: 1, maxLength: 5 });
const plan = fc.record({
  isUnique: fc.boolean(),
  end: fc.constantFrom('\n', '\n', '\r\n'),
  size: fc.integer({ min: 5, max: 40 }),
  changed: numbers,
  how: fc.constantFrom('change', 'insert', 'remove'),
  other: fc.constantFrom('none', 'create', 'delete', 'rename', 'rename and change'),
  isEnded: fc.boolean(),
});

/** Returns a folder before and after a change. */
function made({
  isUnique,
  end,
  size,
  changed,
  how,
  other,
  isEnded,
}: typeof plan extends fc.Arbitrary<infer T> ? T : never): Case {
  const lines = Array.from({ length: size }, (_, at) =>
    isUnique ? `  const value${at} = ${at * 7};` : (['{', '  a', '}', ''][at % 4] ?? ''),
  );
  const next = lines.flatMap((line, at) => {
    if (!changed.some((one) => one % size === at)) return [line];
    return how === 'change' ? [`${line} // changed`] : how === 'insert' ? [line, `  inserted(${at});`] : [];
  });
  const text = (all: readonly string[]) => (all.length === 0 ? '' : all.join(end) + (isEnded ? end : ''));
  const own = Array.from({ length: 12 }, (_, at) => `line ${at} of its own\n`).join('');
  const before: Tree = { 'a.ts': text(lines) };
  const after: Tree = { 'a.ts': text(next) };
  if (other === 'create') after['new/b.ts'] = own;
  else if (other !== 'none') before['b.ts'] = own;
  if (other === 'rename') after['moved/b.ts'] = own;
  if (other === 'rename and change') after['c.ts'] = own.replace('line 3', 'LINE 3');
  return { before, after, isUnique };
}

function put(folder: string, tree: Tree): void {
  for (const [name, text] of Object.entries(tree)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

function read(folder: string): Tree {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(path.join(folder, name)).isFile(),
  );
  return Object.fromEntries(
    names.sort().map((name) => [name.replaceAll('\\', '/'), readFileSync(path.join(folder, name), 'utf8')]),
  );
}

describe(`apply_patch beside git, from seed ${seed}`, () => {
  const cases = fc.sample(plan, { seed, numRuns: rounds(240) }).map(made);
  const patches: string[] = [];
  let root = '';
  let bench: ToolBench;

  before(() => {
    root = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-patches-'));
    const folder = path.join(root, 'repository');
    mkdirSync(folder);
    const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
    git('init', '-q');
    git('config', 'core.autocrlf', 'false');
    const trees = (['before', 'after'] as const).map((side) => {
      for (const [at, one] of cases.entries()) {
        rmSync(path.join(folder, String(at)), { recursive: true, force: true });
        put(path.join(folder, String(at)), one[side]);
      }
      git('add', '-A');
      return git('write-tree').trim();
    });
    for (const at of cases.keys()) patches.push(git('diff', '-M', `--relative=${at}/`, ...trees));
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  /** Applies the patch with the tool. */
  async function byTool(patch: string, tree: Tree): Promise<{ isApplied: boolean; content: string; tree: Tree }> {
    for (const name of readdirSync(bench.file('.'))) rmSync(bench.file(name), { recursive: true, force: true });
    put(bench.file('.'), tree);
    const { status, content } = await bench.run(applyPatchTool(bench.editing), { patch });
    return { isApplied: status === 'success', content, tree: read(bench.file('.')) };
  }

  /** Applies the patch with git. Returns undefined if git rejects it. */
  function byGit(patch: string, tree: Tree): Tree | undefined {
    const folder = path.join(root, 'git');
    rmSync(folder, { recursive: true, force: true });
    put(folder, tree);
    const words = ['apply', '--whitespace=nowarn', '-'];
    const { status } = spawnSync('git', words, {
      cwd: folder,
      input: patch,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: root },
    });
    return status === 0 ? read(folder) : undefined;
  }

  const sorted = (tree: Tree): Tree => Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)));

  it(`makes what git makes of ${cases.length} patches that fit`, async function () {
    this.timeout(0);
    let count = 0;
    for (const [at, { before, after }] of cases.entries()) {
      const patch = patches[at] ?? '';
      if (patch === '') continue;
      count += 1;
      const { isApplied, content, tree } = await byTool(patch, before);
      assert.ok(isApplied, `${at}: ${content}\n${patch}`);
      assert.deepEqual([at, tree], [at, sorted(after)], patch);
      if (at % 4 === 0) assert.deepEqual([at, byGit(patch, before)], [at, tree], patch);
    }
    assert.ok(count >= 200, String(count));
  });

  it('finds the place where lines have come above it, or changes nothing and says why', async function () {
    this.timeout(0);
    let refused = 0;
    for (const [at, { before, after, isUnique }] of cases.entries()) {
      const patch = patches[at] ?? '';
      const end = before['a.ts']?.includes('\r\n') ? '\r\n' : '\n';
      const drifted = (tree: Tree): Tree => ({ ...tree, 'a.ts': `${`// above${end}`.repeat(9)}${tree['a.ts'] ?? ''}` });
      if (patch === '') continue;
      const { isApplied, content, tree } = await byTool(patch, drifted(before));
      if (isApplied && isUnique) assert.deepEqual([at, tree], [at, sorted(drifted(after))], patch);
      else if (isApplied) assert.equal(tree['a.ts']?.length, drifted(after)['a.ts']?.length, `${at}\n${patch}`);
      else {
        refused += 1;
        assert.ok(!isUnique, `${at}: ${content}\n${patch}`);
        assert.deepEqual([at, tree], [at, sorted(drifted(before))], content);
        assert.match(content, /Nothing was changed in any file/);
      }
    }
    console.log(`      ${refused} of ${cases.length} refused, since several places fit`);
  });
});
