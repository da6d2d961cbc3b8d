import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SandboxLevel } from '../../../src/agent/approvals/sandboxLevel';
import { FakeSandbox } from '../terminal/support/fakeSandbox';
import { runTestsTool } from '../../../src/agent/tools/command/runTests';
import type { ToolResult } from '../../../src/agent/tools/kernel/tool';
import { failuresFirst } from '../../../src/services/testing/failures';
import { shellWord } from '../../../src/utils/shellWord';
import { findTestCommand } from '../../../src/services/testing/testCommand';
import { TerminalManager } from '../../../src/services/terminal/run/terminalManager';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { ToolBench } from '../agent/support/toolBench';

const repository = path.resolve(__dirname, '../../../..');
const isThere = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** Project whose test `adds` passes and whose test `subtracts` fails with 41 instead of 42. */
interface Fixture {
  files: Record<string, string>;
  /** Path to run alone. */
  file: string;
  runner: string;
  usesModules?: boolean;
}

const suite = (head: string) =>
  `${head}\ndescribe('numbers', () => {\n  it('adds', () => assert.equal(1 + 1, 2));\n  it('subtracts', () => assert.equal(43 - 2, 42));\n});\n`;
const fixtures: Record<string, Fixture> = {
  'node --test': {
    files: {
      'package.json': '{"scripts": {"test": "node --test"}}',
      'numbers.test.js': suite("const { describe, it } = require('node:test');\nconst assert = require('node:assert/strict');"),
    },
    file: 'numbers.test.js',
    runner: 'node --test',
  },
  mocha: {
    files: {
      'package.json': '{"devDependencies": {"mocha": "*"}, "scripts": {"test": "mocha test"}}',
      'test/numbers.js': suite("const assert = require('node:assert/strict');"),
    },
    file: 'test/numbers.js',
    runner: 'mocha',
    usesModules: true,
  },
  vitest: {
    files: {
      'package.json': '{"type": "module", "devDependencies": {"vitest": "*"}}',
      'numbers.test.js': suite("import { describe, it } from 'vitest';\nimport assert from 'node:assert/strict';"),
    },
    file: 'numbers.test.js',
    runner: 'vitest',
    usesModules: true,
  },
  ...(isThere('python3', '-c', 'import unittest') && {
    unittest: {
      files: {
        'setup.py': '',
        'test_numbers.py':
          'import unittest\nclass Numbers(unittest.TestCase):\n  def test_adds(self):\n    self.assertEqual(1 + 1, 2)\n  def test_subtracts(self):\n    self.assertEqual(43 - 2, 42)\n',
      },
      file: 'test_numbers.py',
      runner: 'unittest',
    },
  }),
  ...(isThere('python3', '-m', 'pytest', '--version') && {
    pytest: {
      files: {
        'pytest.ini': '[pytest]\n',
        'test_numbers.py':
          'def test_adds():\n  assert 1 + 1 == 2\ndef test_subtracts():\n  value = 43 - 2\n  assert value == 42\n',
      },
      file: 'test_numbers.py',
      runner: 'pytest',
    },
  }),
  ...(isThere('go', 'version') && {
    'go test': {
      files: {
        'go.mod': 'module numbers\n\ngo 1.20\n',
        'numbers_test.go':
          'package numbers\nimport "testing"\nfunc TestAdds(t *testing.T) {}\nfunc TestSubtracts(t *testing.T) { if 43-2 != 42 { t.Fatal("got 41, not 42") } }\n',
      },
      file: 'numbers_test.go',
      runner: 'go test',
    },
  }),
  ...(isThere('cargo', '--version') && {
    'cargo test': {
      files: {
        'Cargo.toml': '[package]\nname = "numbers"\nversion = "0.1.0"\nedition = "2021"\n',
        'src/lib.rs': '#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n#[test]\nfn subtracts() { assert_eq!(43 - 2, 42); }\n',
      },
      file: 'src/lib.rs',
      runner: 'cargo test',
    },
  }),
};

describe('run_tests', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await ToolBench.start();
  });
  afterEach(() => bench.stop());

  const put = (name: string, text: string): void => {
    const file = path.join(bench.file(), name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const runners = {
    terminals: new TerminalManager(undefined, systemClock, silentLogger),
    background: { whenEnded: async () => undefined },
  };
  const run = (input: Record<string, unknown>): Promise<ToolResult> => bench.run(runTestsTool(bench.access, runners), input);
  const commandFor = async (
    wanted: { path?: string; name?: string } = {},
    platform: NodeJS.Platform = 'linux',
    programs: readonly string[] = [],
  ) => {
    const { path: inside, name } = wanted;
    const target = inside === undefined ? {} : { path: path.join(bench.file(), inside) };
    const env = { PATH: 'C:\\nodejs;C:\\npm', PATHEXT: '.COM;.EXE;.BAT;.CMD' };
    const isFile = (file: string) => programs.includes(file);
    const computer = { platform, env, isFile };
    return (await findTestCommand(bench.file(), { ...target, ...(name !== undefined && { name }) }, computer))?.command;
  };

  it('runs them in the sandbox without a question, at that level', async () => {
    put('package.json', '{"scripts":{"test":"echo all fine"}}');
    bench.grants = { ...bench.grants, sandbox: true };
    const sandbox = new FakeSandbox();
    const level = new SandboxLevel(sandbox, () => ({ network: 'ask', allowedHosts: [] }));
    const result = await bench.run(runTestsTool(bench.access, { ...runners, sandbox: level }), {});
    assert.deepEqual([result.status, result.sandbox], ['success', { denials: [], reverted: [] }]);
    assert.match(result.content, /all fine/);
    assert.deepEqual([sandbox.wrapped.length, bench.questions, bench.unasked], [1, [], ['command in the sandbox']]);
  });

  for (const [title, { files, file, runner, usesModules = false }] of Object.entries(fixtures)) {
    it(`runs the tests of a project by ${title}, and tells of the failure`, async () => {
      for (const [name, text] of Object.entries(files)) put(name, text);
      if (usesModules) symlinkSync(path.join(repository, 'node_modules'), path.join(bench.file(), 'node_modules'));
      const all = await run({});
      assert.equal(all.status, 'error');
      assert.match(all.content, /^Exit code: (?!0)\d+\n/);
      assert.match(all.content, /subtracts/i);
      assert.match(all.content, /41/);
      const one = await run({ path: file, name: runner === 'go test' ? 'TestAdds' : 'adds' });
      assert.match(one.content, new RegExp(`^Exit code: 0\\n${runner.replace(/ .*/, '')}`));
      assert.equal(bench.questions.length, 2);
    });
  }

  it('asks with the very command, and runs nothing where that is declined', async () => {
    put('package.json', '{"scripts": {"test": "node -e \\"require(\'fs\').writeFileSync(\'ran\', \'\')\\""}}');
    bench.isApproved = false;
    const result = await run({});
    assert.equal(result.status, 'denied');
    assert.deepEqual(
      bench.questions.map((question) => [question.kind, 'command' in question ? question.command : '']),
      [['command', 'npm test']],
    );
    assert.throws(() => readFileSync(path.join(bench.file(), 'ran')));
  });

  it('finds the runner nearest to what is wanted, by its files', async () => {
    put('package.json', '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "*"}}');
    put('pnpm-lock.yaml', '');
    put('service/go.mod', 'module service');
    put('service/store/store_test.go', '');
    put('app/pom.xml', '<project/>');
    put('app/src/test/java/FooTest.java', '');
    put('api/build.gradle.kts', '');
    put('api/gradlew', '');
    put('api/src/BarTest.kt', '');
    put('web/web.csproj', '');
    put('web/Tests.cs', '');
    put('src/a.test.ts', '');
    assert.equal(await commandFor(), 'pnpm test');
    assert.equal(
      await commandFor({ path: 'src/a.test.ts', name: "it's fine" }),
      `npx --no-install jest src/a.test.ts -t 'it'\\''s fine'`,
    );
    assert.equal(await commandFor({ path: 'service/store/store_test.go', name: 'TestIt' }), 'go test ./store -run TestIt');
    assert.equal(await commandFor({ path: 'service' }), 'go test ./...');
    assert.equal(await commandFor({ path: 'app/src/test/java/FooTest.java', name: 'works' }), `mvn test '-Dtest=FooTest#works'`);
    assert.equal(await commandFor({ path: 'api/src/BarTest.kt' }), './gradlew test --tests BarTest');
    assert.equal(await commandFor({ path: 'web/Tests.cs', name: 'Adds' }), 'dotnet test --filter Adds');
  });

  it('writes a command that PowerShell and cmd of Windows both run', async () => {
    put('package.json', '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "*"}}');
    put('src/$id.test.ts', '');
    put('app/pom.xml', '<project/>');
    put('app/mvnw.cmd', '');
    put('app/src/FooTest.java', '');
    put('api/build.gradle', '');
    put('api/gradlew.bat', '');
    put('tool/setup.py', '');
    const windows = async (wanted: { path?: string; name?: string } = {}) => commandFor(wanted, 'win32');
    // PowerShell would choose npm.ps1, which Windows does not run by default.
    assert.equal(await windows(), 'npm.cmd test');
    assert.equal(
      await windows({ path: 'src/$id.test.ts', name: 'a "b" & $(calc) `c` %PATH%' }),
      'npx.cmd --no-install jest "src/id.test.ts" -t "a b & (calc) c PATH"',
    );
    assert.equal(await windows({ path: 'app/src/FooTest.java', name: 'works' }), '.\\mvnw.cmd test "-Dtest=FooTest#works"');
    assert.equal(await windows({ path: 'api' }), '.\\gradlew.bat test');
    assert.equal(await windows({ path: 'tool' }), 'python -m unittest discover');
  });

  it('calls a package manager on Windows by the file that it has there, because PowerShell would choose its .ps1', async () => {
    put('package.json', '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "*"}}');
    const files = (name: string, ends: readonly string[]) => ends.map((end) => `C:\\npm\\${name}${end}`);
    for (const [lock, name] of [
      ['bun.lock', 'bun'],
      ['yarn.lock', 'yarn'],
      ['pnpm-lock.yaml', 'pnpm'],
    ] as const) {
      put(lock, '');
      assert.equal(await commandFor({}, 'win32', files(name, ['', '.cmd', '.ps1'])), `${name}.cmd test`);
      assert.equal(await commandFor({}, 'win32', files(name, ['.exe'])), `${name}.exe test`);
      assert.equal(await commandFor({}, 'win32'), `${name} test`);
    }
  });

  it('says so where there is no runner, no such file, and refuses what is outside', async () => {
    assert.match((await run({})).content, /No test runner was found/);
    assert.match((await run({ path: 'none.test.js' })).content, /There is no none\.test\.js/);
    await assert.rejects(run({ path: '../other.test.js' }), { code: 'path' });
  });

  it('hands a name to the shell as one word, whatever is in it', () => {
    for (const text of ['a b', '$(touch x)', '`x`', "it's", '; rm -rf /', '-n\nx']) {
      const told = spawnSync('sh', ['-c', `printf %s ${shellWord(text, 'linux')}`], { encoding: 'utf8' });
      assert.equal(told.stdout, text);
    }
  });

  it('hands a name to PowerShell and cmd as one word, without what either would expand', () => {
    const words = [
      'a "b" %PATH%',
      '$(calc)',
      '\u201d; calc \u201c',
      '`$x',
      'a & b',
      'a\nb',
      'C:\\x\\',
      '@args',
      '-Da.b=c',
      'a,b',
      'a-b/c.ts',
    ];
    assert.deepEqual(
      words.map((text) => shellWord(text, 'win32')),
      ['"a b PATH"', '"(calc)"', '"; calc "', '"x"', '"a & b"', '"ab"', '"C:\\x"', '"@args"', '"-Da.b=c"', '"a,b"', 'a-b/c.ts'],
    );
  });

  it('puts failures before what passed, and says how much of them had no room', () => {
    const passing = Array.from({ length: 500 }, (_, index) => `ok ${index + 1} - fine`);
    const failing = ['not ok 501 - breaks', '  ---', '  error: boom', '  ...'];
    const { text, leftOut } = failuresFirst([...passing.slice(0, 250), ...failing, ...passing.slice(250)].join('\n'));
    assert.match(text, /^Failures:\nnot ok 501 - breaks\n {2}---\n {2}error: boom/);
    assert.deepEqual([leftOut, text.includes('ok 100 - fine'), text.includes('ok 500 - fine')], [0, false, true]);
    const many = failuresFirst([...Array.from({ length: 300 }, (_, index) => `not ok ${index}`), ...passing].join('\n'));
    assert.equal(many.leftOut, 180);
    assert.match(many.text, /\[180 lines of failures left out\]/);
  });
});
