import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { batchLine, programCall } from '../../../src/mcp/server/programCall';
import { mergedEnvironment, programPlaces } from '../../../src/utils/programPlaces';

const system = { SystemRoot: 'C:\\Windows', ComSpec: 'C:\\Windows\\system32\\cmd.exe' };

/** Returns the call of a program on a simulated Windows computer that has these files. */
function call(command: string, files: readonly string[], env: NodeJS.ProcessEnv = {}, args: readonly string[] = []) {
  const lower = files.map((file) => file.toLowerCase());
  const isFile = (file: string) => lower.includes(file.toLowerCase());
  return programCall(command, args, { env: { ...system, ...env }, cwd: 'C:\\work', platform: 'win32', isFile });
}

describe('A program by its name', () => {
  it('is on Windows in a folder of PATH, with an extension of PATHEXT', () => {
    const env = { Path: '"C:\\Program Files\\nodejs";C:\\tools\\', PATHEXT: '.COM;.EXE;.BAT;.CMD;.VBS;.JS' };
    const places = ['.com', '.exe', '.bat', '.cmd'];
    assert.deepEqual(programPlaces('pnpm', env, 'win32'), [
      ...places.map((end) => `C:\\Program Files\\nodejs\\pnpm${end}`),
      ...places.map((end) => `C:\\tools\\pnpm${end}`),
    ]);
    assert.deepEqual(programPlaces('node.EXE', { PATH: 'C:\\a', PATHEXT: '.EXE' }, 'win32'), [
      'C:\\a\\node.EXE',
      'C:\\a\\node.EXE.exe',
    ]);
  });

  it('is never in a folder that depends on where the editor was started', () => {
    assert.deepEqual(programPlaces('git', { PATH: '.;;bin;C:;C:bin;\\bin;\\\\server\\tools' }, 'win32', ['.exe']), [
      '\\\\server\\tools\\git.exe',
    ]);
    assert.deepEqual(programPlaces('git', { PATH: '.::bin:/usr/bin' }, 'linux'), ['/usr/bin/git']);
  });

  it('runs directly if it is an executable, and through cmd if it is a batch file', () => {
    const files = ['C:\\nodejs\\node.exe', 'C:\\nodejs\\npx.cmd', 'C:\\nodejs\\npx', 'C:\\nodejs\\npx.ps1', 'C:\\pnpm\\pnpm.exe'];
    const env = { PATH: 'C:\\nodejs;C:\\pnpm' };
    assert.deepEqual(call('node', files, env, ['a b']), {
      file: 'C:\\nodejs\\node.exe',
      args: ['a b'],
      windowsVerbatimArguments: false,
    });
    assert.equal(call('pnpm', files, env).file, 'C:\\pnpm\\pnpm.exe');
    for (const name of ['npx', 'npx.cmd', 'NPX.CMD']) {
      const { file, args, windowsVerbatimArguments } = call(name, files, env, ['-y', 'a b']);
      assert.deepEqual([file, windowsVerbatimArguments], [system.ComSpec, true]);
      assert.match(args.join(' '), /^\/d \/e:on \/v:off \/s \/c ""C:\\nodejs\\npx\.cmd" "-y" "a b""$/i);
    }
  });

  it('with a folder is relative to the folder of the call', () => {
    const files = ['C:\\work\\bin\\serve.cmd', 'C:\\other\\tool.exe'];
    assert.match(call('bin/serve', files).args.join(' '), /"C:\\work\\bin\\serve\.cmd"/);
    assert.equal(call('C:/other/tool', files).file, 'C:\\other\\tool.exe');
  });

  it('is not found in the current folder, nor where there is none', () => {
    for (const name of ['planted', 'none']) {
      assert.throws(() => call(name, ['C:\\work\\planted.exe', 'C:\\work\\planted.cmd'], { PATH: 'C:\\nodejs' }), {
        code: 'ENOENT',
        path: name,
      });
    }
  });

  it('is left to the system elsewhere', () => {
    assert.deepEqual(programCall('npx', ['a'], { env: {}, cwd: null, platform: 'linux' }), {
      file: 'npx',
      args: ['a'],
      windowsVerbatimArguments: false,
    });
  });

  it('gets one PATH on Windows, whatever the case of its name', () => {
    assert.deepEqual(mergedEnvironment({ PATH: 'a', TEMP: 't' }, { Path: 'b' }, 'win32'), { TEMP: 't', Path: 'b' });
    assert.deepEqual(mergedEnvironment({ PATH: 'a' }, { Path: 'b' }, 'linux'), { PATH: 'a', Path: 'b' });
  });
});

describe('The line for a batch file', () => {
  it('keeps every word in quotes and expands no variable', () => {
    assert.equal(
      batchLine('C:\\a b\\x.cmd', ['', 'a&b', 'say "hi"', '50%PATH%', 'C:\\x\\', '\\"']),
      [...['""C:\\a b\\x.cmd" "" "a&b" "say ""hi"""', '"50%%cd:~,%PATH%%cd:~,%"', '"C:\\x\\\\" "\\\\""""']].join(' '),
    );
    assert.throws(() => batchLine('x.cmd', ['a\nb']), /line breaks/);
  });

  // Only Windows has cmd.
  if (process.platform !== 'win32') return;

  /** Returns the arguments that a program receives through a batch file. */
  function printed(words: readonly string[]): unknown {
    const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-batch-'));
    const bin = path.join(folder, 'a & b');
    mkdirSync(bin);
    const output = path.join(folder, 'out.json');
    const script = "require('fs').writeFileSync(process.argv[2], JSON.stringify(process.argv.slice(3)))";
    writeFileSync(path.join(bin, 'print.js'), script);
    writeFileSync(path.join(bin, 'print.cmd'), `@"${process.execPath}" "%~dp0print.js" %*\r\n`);
    const env = { ...process.env, PATH: bin };
    const { file, args, windowsVerbatimArguments } = programCall('print', [output, ...words], { env, cwd: null });
    assert.equal(spawnSync(file, args, { windowsVerbatimArguments, stdio: 'ignore' }).status, 0);
    const got: unknown = JSON.parse(readFileSync(output, 'utf8'));
    rmSync(folder, { recursive: true, force: true });
    return got;
  }

  it('passes every argument unchanged through a batch file to a program', () => {
    const words = ['plain', 'a b', '', 'a & echo b', 'a|b>c<d^e', 'say "hi" & calc', 'C:\\x y\\', '!PATH!', '(x)'];
    assert.deepEqual(printed(words), words);
  });

  it('passes percent signs unchanged', () => {
    const words = ['100%', '%PATH% %1 %*', '% %'];
    assert.deepEqual(printed(words), words);
  });
});
