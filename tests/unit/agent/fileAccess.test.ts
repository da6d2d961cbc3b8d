import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { windowsNameProblem } from '../../../src/utils/files/windowsNames';
import type { EditServices } from '../../../src/agent/tools/edit/editing';
import type { AccessTarget } from '../../../src/agent/approvals/fileAccess';
import type { Tool } from '../../../src/agent/tools/kernel/tool';
import { createFileTool } from '../../../src/agent/tools/edit/createFile';
import { deleteFileTool } from '../../../src/agent/tools/edit/deleteFile';
import { readFileTool } from '../../../src/agent/tools/read/readFile';
import { renameFileTool } from '../../../src/agent/tools/edit/renameFile';
import { replaceInFileTool } from '../../../src/agent/tools/edit/replaceInFile';
import { writeFileTool } from '../../../src/agent/tools/edit/writeFile';
import { ToolBench } from './support/toolBench';

/** All ways in which a tool can change or create a file. */
const ways: [string, (services: EditServices) => Tool, (path: string) => Record<string, unknown>][] = [
  ['create_file', createFileTool, (one) => ({ path: one, content: 'x' })],
  ['write_file', writeFileTool, (one) => ({ path: one, content: 'x' })],
  ['replace_in_file', replaceInFileTool, (one) => ({ path: one, oldText: 'text', newText: 'x' })],
  ['delete_file', deleteFileTool, (one) => ({ path: one })],
  ['rename_file from', renameFileTool, (one) => ({ path: one, newPath: 'moved.txt' })],
  ['rename_file to', renameFileTool, (one) => ({ path: 'plain.txt', newPath: one })],
];

describe('what tools may change', () => {
  let bench: ToolBench;
  const outside = (...parts: string[]): string => path.join(bench.root, 'outside', ...parts);

  beforeEach(async () => {
    bench = await ToolBench.start();
    await mkdir(outside());
    await mkdir(bench.file('.git'));
    await symlink(outside(), bench.file('exit'));
    await symlink(outside('text.txt'), bench.file('out.txt'));
    await symlink('.git', bench.file('harmless'));
    await symlink('.env', bench.file('notes.txt'));
    await symlink(path.join(bench.root, 'nowhere'), bench.file('dangling'));
    await writeFile(bench.file('plain.txt'), 'text');
    bench.isApproved = false;
  });
  afterEach(() => bench.stop());

  /** Returns all files on disk, so that changes can be detected. */
  async function disk(): Promise<string[]> {
    const found = await readdir(bench.root, { recursive: true, withFileTypes: true });
    return Promise.all(
      found.map(async (one) => {
        const file = path.join(one.parentPath, one.name);
        return `${file}: ${one.isFile() ? await readFile(file, 'utf8') : ''}`;
      }),
    );
  }

  /** Returns the reasons of the question, or the result if there is no question. */
  async function outcome([, tool, input]: (typeof ways)[number], given: string): Promise<string> {
    const before = await disk();
    const result = await bench.attempt(tool(bench.editing), input(given));
    assert.deepEqual(await disk(), before, `${given} was changed`);
    const [question] = bench.questions;
    if (question === undefined) return `${result.status}: ${result.content}`;
    assert.deepEqual([question.kind, result.status, bench.edits], ['edit', 'denied', []]);
    const isGrave = question.severity === 'high';
    return `${isGrave ? 'asked gravely' : 'asked'}: ${question.reasons?.join(', ') ?? ''}`;
  }

  const config = 'configures the editor, Git or an agent, or runs automatically';
  /** Reasons for a question about files that affect later runs or that are outside the workspace. */
  const grave = /outside the workspace|configures the editor|affects how code/;
  const asks: [string, string][] = [
    ...['.git/config', '.git/hooks/pre-commit', '.GIT/x', 'sub/.git/x', '.git./x', '.g\u200cit/x', 'git~1/x'].map(
      (one): [string, string] => [one, config],
    ),
    ...['.vscode/settings.json', '.VSCODE/tasks.json', 'src/.vscode/x', './a/../.vscode/launch.json', '.vscode\\x'].map(
      (one): [string, string] => [one, config],
    ),
    ...['AGENTS.md', 'docs/Claude.md', '.cursor/rules/x', '.mcp.json', '.husky/pre-push', 'x.code-workspace'].map(
      (one): [string, string] => [one, config],
    ),
    ...['.pre-commit-config.yaml', 'lefthook.yml', '.lefthook.yml', '.gemini/settings.json', '.codex/config.toml'].map(
      (one): [string, string] => [one, config],
    ),
    ...['.kiro/settings/mcp.json', 'opencode.json', '.opencode/agent/x.md', 'web/.aider.conf.yml'].map(
      (one): [string, string] => [one, config],
    ),
    ...['.github/hooks/pre.json', '.github/agents/x.md', '.github/skills/x/run.sh', '.agents/skills/x/SKILL.md', 'QWEN.md'].map(
      (one): [string, string] => [one, config],
    ),
    ...['AGENT.md', 'AGENTS.override.md', '.goosehints', '.junie/guidelines.md', '.amazonq/rules/x.md', '.zed/settings.json'].map(
      (one): [string, string] => [one, config],
    ),
    ...[
      '.roomodes',
      '.roorules-code',
      '.clinerules-architect',
      '.kilocode/rules/x.md',
      '.trae/rules/x.md',
      '.augment/rules/x.md',
    ].map((one): [string, string] => [one, config]),
    ...['.gitignore', 'web/.gitignore', '.ignore', '.rgignore', '.ollamacopilotignore', '.devcontainer.json', '.gitpod.yml'].map(
      (one): [string, string] => [one, config],
    ),
    ...['.hg/hgrc', 'sub/.hg/hgrc'].map((one): [string, string] => [one, config]),
    ...['.github/copilot-instructions.md', 'a.prompt.md', '.gitattributes', '.devcontainer/x.json', 'harmless/x'].map(
      (one): [string, string] => [one, config],
    ),
    ...[
      '.env',
      '.ENV.local',
      'sub/.env::$DATA',
      'keys/a.pem',
      'id_rsa',
      '.npmrc',
      '.ssh/config',
      'secrets.json',
      'notes.txt',
    ].map((one): [string, string] => [one, 'may contain secrets']),
    ...['package.json', 'web/package-lock.json', 'yarn.lock', '.github/workflows/ci.yml', 'a.csproj', '.gitlab-ci.yml'].map(
      (one): [string, string] => [one, 'affects how code is installed, built or run'],
    ),
    ...[
      'eslint.config.mjs',
      '.eslintrc.js',
      '.prettierrc.cjs',
      'web/vitest.config.ts',
      '.pnp.cjs',
      'Cargo.toml',
      'pyproject.toml',
    ].map((one): [string, string] => [one, 'affects how code is installed, built or run']),
    ...['build.gradle', 'app/build.gradle.kts', 'pom.xml', 'CMakeLists.txt', 'Makefile', 'Rakefile', 'Dockerfile'].map(
      (one): [string, string] => [one, 'affects how code is installed, built or run'],
    ),
    ...['.rubocop.yml', 'phpstan.neon', '.foorc.ts', '.config/foorc', 'vitest.workspace.ts', 'VITEST~1.TS', '.clangd'].map(
      (one): [string, string] => [one, 'affects how code is installed, built or run'],
    ),
    ...['NOVEL_AGENT.md', 'NOVEL_AGENT.md:stream'].map((one): [string, string] => [one, 'may contain instructions for agents']),
    ...['WARP.md', '.nvim.lua', '.fleet/run.json', '.vs./tasks.vs.json'].map((one): [string, string] => [one, config]),
    ...['../outside/text.txt', 'sub/../../outside/text.txt', '..\\outside\\text.txt', 'exit/text.txt', 'out.txt'].map(
      (one): [string, string] => [one, 'outside the workspace'],
    ),
  ];
  const refused = [
    ...['', ' ', 'a\0b', '.env\0.txt', 'a\nb', 'file:///etc/passwd', 'vscode-remote://x/y', 'https://example.org/x'],
    ...['//server/share/x', '\\\\server\\share\\x', '\\\\?\\C:\\x', '\\\\.\\pipe\\x', 'C:\\Windows\\x', 'c:x', '~/x', '~\\x'],
    ...['dangling', 'dangling/x', 'plain.txt/x'],
  ];

  for (const way of ways) {
    describe(way[0], () => {
      const isNew = way[0] === 'create_file' || way[0] === 'rename_file to';
      for (const [given, reason] of asks) {
        it(`asks before ${JSON.stringify(given)}`, async () => {
          if (process.platform === 'win32' && given.split(/[\\/]/).some((name) => windowsNameProblem(name) !== null)) {
            assert.match(await outcome(way, given), /^error: /);
            return;
          }
          if (given === 'notes.txt') await writeFile(bench.file('.env'), 'text');
          if (given === 'out.txt') await writeFile(outside('text.txt'), 'text');
          const { real } = await bench.paths.locate(given);
          if (!isNew) {
            await mkdir(path.dirname(real), { recursive: true });
            await writeFile(real, 'text');
          }
          const said = await outcome(way, given);
          const isLink = given === 'out.txt' || given === 'notes.txt';
          if (isLink && isNew) assert.match(said, /^error: .* already exists/);
          else if (isLink && /^(delete_file|rename_file from)$/.test(way[0])) assert.match(said, /^error: .* is a link\./);
          else assert.ok(said.startsWith(grave.test(said) ? 'asked gravely: ' : 'asked: ') && said.includes(reason), said);
        });
      }
      for (const given of refused) {
        it(`refuses ${JSON.stringify(given)}`, async () => assert.match(await outcome(way, given), /^error: /));
      }
    });
  }

  if (process.platform !== 'win32') {
    it('asks before a new file whose name would be another file on Windows, and not about ordinary names', async () => {
      const { access } = bench.editing;
      const why = async (given: string): Promise<string[]> =>
        (await access.forWriting(given, 'one')).reasons.map(({ english }) => english);
      for (const given of ['a.txt:stream', 'con', 'x.', 'src/NUL', 'x '])
        assert.deepEqual(await why(given), ['refers to a different file on Windows'], given);
      await writeFile(bench.file('ab:c'), 'text');
      for (const given of ['ab:c', 'con.ts', 'src/aux.c', 'null', 'console.ts', 'a.b', 'com10'])
        assert.deepEqual(await why(given), [], given);
    });
  }

  it('asks with the real target, the difference and every reason', async () => {
    await writeFile(outside('.env'), 'A=1\n');
    const given: [string, () => Record<string, unknown>] = ['exit/.env', () => ({ path: 'exit/.env', content: 'A=2\n' })];
    await outcome(['write_file', writeFileTool, given[1]], given[0]);
    assert.deepEqual(bench.questions, [
      {
        kind: 'edit',
        path: outside('.env'),
        operation: 'modify',
        diff: `--- a/${outside('.env')}\n+++ b/${outside('.env')}\n@@ -1 +1 @@\n-A=1\n+A=2\n`,
        reasons: ['outside the workspace', 'may contain secrets'],
        severity: 'high',
      },
    ]);
  });

  it('does what was approved', async () => {
    bench.isApproved = true;
    assert.equal((await bench.attempt(writeFileTool(bench.editing), { path: 'exit/new.txt', content: 'x' })).status, 'success');
    assert.equal(await readFile(outside('new.txt'), 'utf8'), 'x');
    assert.equal(bench.edits[0]?.path, outside('new.txt'));
  });

  it('changes nothing when the file was changed while the person was asked', async () => {
    await writeFile(bench.file('.env'), 'A=1\n');
    bench.isApproved = true;
    bench.onQuestion = () => writeFile(bench.file('.env'), 'B=1\n');
    const { content } = await bench.attempt(writeFileTool(bench.editing), { path: '.env', content: 'A=2\n' });
    assert.match(content, /changed in the meantime/);
    assert.equal(await readFile(bench.file('.env'), 'utf8'), 'B=1\n');
  });

  it('goes by the patterns of a person, those of the session last', async () => {
    bench.settings['agent.sensitiveFilePatterns'] = { '**/*': true, '**/*.sql': false };
    const reasonsOf = async (one: string): Promise<string[]> => wordsOf(await bench.access.forWriting(one, 'session'));
    assert.deepEqual(await Promise.all(['.env', 'a.sql', 'package.json', '.git/config'].map(reasonsOf)), [
      [],
      ['is in the list of sensitive files'],
      [],
      [config, 'may contain secrets'],
    ]);
    bench.session = { ...bench.session, sensitive_file_patterns: '{"a.sql":true,".env":false}' };
    assert.deepEqual(await Promise.all(['.env', 'a.sql', 'b.sql'].map(reasonsOf)), [
      ['is in the list of sensitive files'],
      [],
      ['is in the list of sensitive files'],
    ]);
    bench.session = { ...bench.session, sensitive_file_patterns: '{"**/*":' };
    assert.deepEqual(await reasonsOf('a.sql'), ['is in the list of sensitive files']);
  });

  it('frees sensitive files for a session that says so, but never what configures or is outside', async () => {
    bench.session = { ...bench.session, auto_approve_sensitive_edits: 1 };
    const reasonsOf = async (one: string): Promise<string[]> => wordsOf(await bench.access.forWriting(one, 'session'));
    assert.deepEqual(await Promise.all(['.env', 'package.json', '.vscode/x', 'exit/a'].map(reasonsOf)), [
      [],
      [],
      [config],
      ['outside the workspace'],
    ]);
    assert.deepEqual(wordsOf(await bench.access.forReading('.env', 'session')), ['may contain secrets']);
    const readReasons = async (one: string) =>
      (await bench.access.forWriting(one, 'session')).readReasons.map(({ local }) => local);
    assert.deepEqual(await Promise.all(['.env', 'package.json', 'exit/a'].map(readReasons)), [
      ['may contain secrets'],
      [],
      ['outside the workspace'],
    ]);
  });

  it('asks before the addresses that git keeps are read, whatever a pattern frees', async () => {
    bench.settings['agent.sensitiveFilePatterns'] = { '**': true, config: true };
    for (const name of ['config', 'config.worktree']) {
      const { readReasons } = await bench.access.forReading(`.git/${name}`, 'session');
      assert.deepEqual(
        readReasons.map(({ local }) => local),
        ['may contain secrets'],
      );
    }
  });

  it('asks before what git is told to ignore is read or changed, but for what programs make', async () => {
    await writeFile(bench.file('.gitignore'), 'local/\n*.log\n/made.txt\nnode_modules\ndist\nfree.ini\n');
    await mkdir(bench.file('sub'), { recursive: true });
    await writeFile(bench.file('sub/.gitignore'), '!kept.log\nown.txt\n');
    bench.settings['agent.sensitiveFilePatterns'] = { 'free.ini': true };
    const why = async (one: string): Promise<[read: string[], write: string[]]> => {
      const read = await bench.access.forReading(one, 'session');
      const write = await bench.access.forWriting(one, 'session');
      return [read.readReasons.map(({ local }) => local), write.reasons.map(({ local }) => local)];
    };
    const ignored = ['is ignored by Git'];
    for (const one of ['local/db.php', 'local/deep/x', 'sub/local/x', 'debug.log', 'sub/own.txt', 'made.txt'])
      assert.deepEqual(await why(one), [ignored, ignored], one);
    for (const one of ['own.txt', 'sub/kept.log', 'sub/made.txt', 'free.ini', 'dist/a.js', 'sub/dist/b.log'])
      assert.deepEqual(await why(one), [[], []], one);
    // Installed packages can run, so changes need approval but reading does not.
    assert.deepEqual(await why('node_modules/a/index.d.ts'), [[], ['affects how code is installed, built or run']]);
    // The name of a link does not exempt its target.
    await mkdir(bench.file('local'));
    await writeFile(bench.file('local/db.php'), 'text');
    for (const name of ['free.ini', '.env.example']) await symlink('local/db.php', bench.file(name));
    for (const name of ['free.ini', '.env.example']) assert.deepEqual(await why(name), [ignored, ignored], name);
    bench.session = { ...bench.session, auto_approve_sensitive_edits: 1 };
    assert.deepEqual(await why('local/db.php'), [ignored, []]);
  });

  it('asks before what git runs as a hook is changed, wherever its settings say that it lies', async () => {
    await writeFile(bench.file('.git', 'HEAD'), 'ref: refs/heads/main');
    await writeFile(bench.file('.git', 'config'), '[core]\n\thooksPath = tools/hooks\n');
    bench.session = { ...bench.session, auto_approve_sensitive_edits: 1 };
    const why = async (one: string): Promise<string[]> => wordsOf(await bench.access.forWriting(one, 'session'));
    assert.deepEqual(await why('tools/hooks/pre-commit'), [config]);
    assert.deepEqual(await why('tools/other.sh'), []);
    // A link in place of the folder redirects git.
    await mkdir(bench.file('tools'));
    await mkdir(bench.file('scripts'));
    await symlink(bench.file('scripts'), bench.file('tools/hooks'));
    assert.deepEqual(await why('scripts/pre-commit'), [config]);
  });

  it('asks before a file of ignore rules is changed that git has another name for', async () => {
    await writeFile(bench.file('.git', 'HEAD'), 'ref: refs/heads/main');
    await writeFile(bench.file('.git', 'config'), '[core]\n\texcludesFile = conf/left-out\n');
    assert.deepEqual(wordsOf(await bench.access.forWriting('conf/left-out', 'session')), [config]);
    assert.deepEqual(wordsOf(await bench.access.forWriting('conf/other', 'session')), []);
  });

  it('goes by the rules of a repository inside another, unless the outer one leaves that out', async () => {
    for (const folder of ['inner', 'private/inner']) {
      await mkdir(bench.file(folder, '.git', 'info'), { recursive: true });
      await writeFile(bench.file(folder, '.git', 'HEAD'), 'ref: refs/heads/main');
      await writeFile(bench.file(folder, '.git', 'info', 'exclude'), 'own.txt');
    }
    await writeFile(bench.file('.gitignore'), 'private/\n');
    const asked: string[] = [];
    for (const one of ['own.txt', 'inner/own.txt', 'inner/a.txt', 'private/inner/own.txt', 'private/inner/a.txt'])
      if ((await bench.access.forReading(one, 'session')).readReasons.length > 0) asked.push(one);
    assert.deepEqual(asked, ['inner/own.txt', 'private/inner/own.txt', 'private/inner/a.txt']);
  });

  it('asks before what is outside or on the list is read, and reads what builds freely', async () => {
    await writeFile(outside('a.txt'), 'hidden');
    bench.settings['agent.sensitiveFilePatterns'] = { '*.sql': false };
    for (const name of ['a.sql', 'package.json']) await writeFile(bench.file(name), 'text');
    const read = async (one: string) => (await bench.attempt(readFileTool(bench.access, bench.editors), { path: one })).status;
    assert.deepEqual(
      [await read('exit/a.txt'), await read('a.sql'), await read('package.json')],
      ['denied', 'denied', 'success'],
    );
    assert.deepEqual(
      bench.questions.map(({ kind, path: asked, reasons }) => [kind, asked, reasons]),
      [
        ['read', outside('a.txt'), ['outside the workspace']],
        ['read', 'a.sql', ['is in the list of sensitive files']],
      ],
    );
  });

  it('goes by every name of a file in several folders: in its folder and with its name, before links and after', async () => {
    const several = await ToolBench.start('web', 'api');
    const [web = ''] = several.folders.map((folder) => folder.path);
    await mkdir(path.join(web, 'hidden'));
    await symlink('hidden', path.join(web, 'link'));
    const isAsked = async (pattern: string): Promise<boolean> => {
      several.settings['agent.sensitiveFilePatterns'] = { [pattern]: false };
      return (await several.access.forReading('web/link/a.txt', 'session')).reasons.length > 0;
    };
    const patterns = ['link/**', 'web/link/**', 'hidden/**', 'web/hidden/**', 'api/hidden/**'];
    const found: boolean[] = [];
    for (const pattern of patterns) found.push(await isAsked(pattern));
    assert.deepEqual(found, [true, true, true, true, false]);
    await several.stop();
  });

  it('asks about a file of any of several folders, by the name of its folder', async () => {
    const several = await ToolBench.start('web', 'api');
    several.isApproved = false;
    for (const [, tool, input] of ways.slice(0, 2)) await several.attempt(tool(several.editing), input('api/.env'));
    for (const [, tool, input] of ways.slice(0, 2)) await several.attempt(tool(several.editing), input('web/../api/.env'));
    assert.deepEqual(
      several.questions.map(({ path: asked, reasons }) => [asked, reasons]),
      [
        ['api/.env', ['may contain secrets']],
        ['api/.env', ['may contain secrets']],
        [path.join(several.root, 'api/.env'), ['outside the workspace', 'may contain secrets']],
        [path.join(several.root, 'api/.env'), ['outside the workspace', 'may contain secrets']],
      ],
    );
    several.isApproved = true;
    await several.attempt(createFileTool(several.editing), { path: 'api/src/a.ts', content: 'x' });
    await several.attempt(renameFileTool(several.editing), { path: 'api/src/a.ts', newPath: 'web/b.ts' });
    await several.attempt(replaceInFileTool(several.editing), { path: 'web/b.ts', oldText: 'x', newText: 'y' });
    await several.attempt(deleteFileTool(several.editing), { path: 'web/b.ts' });
    assert.deepEqual(
      several.edits.map(({ operation, path: edited, newPath }) => [operation, edited, newPath]),
      [
        ['create', 'api/src/a.ts', undefined],
        ['rename', 'api/src/a.ts', 'web/b.ts'],
        ['modify', 'web/b.ts', undefined],
        ['delete', 'web/b.ts', undefined],
      ],
    );
    const { content } = await several.attempt(createFileTool(several.editing), { path: 'a.ts', content: 'x' });
    assert.equal(content, 'The workspace has several folders. Start the path with one of: web, api.');
    await several.stop();
  });
});

function wordsOf({ reasons }: AccessTarget): string[] {
  return reasons.map(({ english }) => english);
}
