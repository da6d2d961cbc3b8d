const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

/*
 * Shows how Wine, or a computer with only Node, differs from Windows, without any code of the extension: `node gaps.cjs FOLDER`.
 * Prints a line of JSON for each gap: whether it exists, and what was observed.
 */

const [folder] = process.argv.slice(2);
const inFolder = (name) => path.join(folder, name);
const file = (name, text = 'text') => {
  fs.writeFileSync(inFolder(name), text);
  return inFolder(name);
};
const codeOf = (run) => {
  try {
    run();
    return 'no error';
  } catch (error) {
    return error.code;
  }
};
const until = (start, ms) =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve('nothing in time'), ms);
    start((seen) => {
      clearTimeout(timer);
      resolve(seen);
    });
  });

/** Checks of the gaps. Each returns `[isGap, seen]`. */
const gaps = {
  /** Windows lets users create links if they have the privilege or use developer mode. */
  links() {
    const code = codeOf(() => fs.symlinkSync(file('target'), inFolder('link')));
    const isThere = fs.readdirSync(folder).includes('link');
    return [!isThere, `${code}, ${isThere ? 'a link' : 'no link'}`];
  },
  /** Windows has no sh unless Git or MSYS is installed. */
  shell() {
    const { error } = spawnSync('sh', ['-c', 'exit 0']);
    return [error !== undefined, error?.code];
  },
  git() {
    const { error } = spawnSync('git', ['--version']);
    return [error !== undefined, error?.code];
  },
  /** Windows keeps only one permission bit: writable or not. */
  modes() {
    fs.chmodSync(file('mode'), 0o600);
    const mode = fs.statSync(inFolder('mode')).mode & 0o777;
    return [mode !== 0o600, mode.toString(8)];
  },
  /** Windows 10 deletes a file immediately, even if a process has it open. */
  deleteOpen() {
    const opened = fs.openSync(file('open'), 'r');
    fs.unlinkSync(inFolder('open'));
    const isThere = fs.existsSync(inFolder('open'));
    fs.closeSync(opened);
    return [isThere, isThere ? 'it stays until it is closed' : 'it is gone'];
  },
  caseRename() {
    fs.mkdirSync(inFolder('case'));
    fs.renameSync(file('case/name'), inFolder('case/NAME'));
    const names = fs.readdirSync(inFolder('case'));
    return [names.join() !== 'NAME', names.join()];
  },
  /** Windows keeps the creation time of a folder. */
  async birthTime() {
    fs.mkdirSync(inFolder('born'));
    const { birthtimeMs } = fs.statSync(inFolder('born'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    file('born/child');
    const after = fs.statSync(inFolder('born')).birthtimeMs;
    return [after !== birthtimeMs, `${after - birthtimeMs} ms later`];
  },
  /** Windows creates thousands of files per second. */
  slow() {
    const start = Date.now();
    for (let number = 0; number < 300; number += 1) fs.rmSync(file(`slow${number}`));
    const each = (Date.now() - start) / 300;
    return [each > 1, `${each.toFixed(1)} ms for each file`];
  },
  lance() {
    try {
      return [false, require.resolve(['@lancedb', 'lancedb-win32-x64-msvc'].join('/'))];
    } catch (error) {
      return [true, error.code];
    }
  },
  /** `taskkill /T` also ends the child processes. */
  async tree() {
    const grandchild = 'setInterval(() => {}, 1000)';
    const code = `const c = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}]); require('fs').writeFileSync(${JSON.stringify(inFolder('pid'))}, String(c.pid)); setInterval(() => {}, 1000)`;
    const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
    const pid = await until((done) => {
      const timer = setInterval(() => {
        const text = fs.existsSync(inFolder('pid')) ? fs.readFileSync(inFolder('pid'), 'utf8') : '';
        if (text === '') return;
        clearInterval(timer);
        done(Number(text));
      }, 50);
    }, 20_000);
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F']);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const isAlive = codeOf(() => process.kill(pid, 0)) === 'no error';
    if (isAlive) process.kill(pid);
    return [isAlive, isAlive ? 'the child runs on' : 'the child has ended'];
  },
  /** Response in which each byte is written separately. */
  async smallWrites() {
    const sent = 'x'.repeat(2000);
    const server = http.createServer((request, response) => {
      for (const byte of sent) response.write(byte);
      response.end();
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address();
    const seen = [];
    for (let round = 0; round < 30; round += 1) {
      const text = await until((done) => {
        const request = http.get({ port, host: '127.0.0.1', agent: false }, (response) => {
          let all = '';
          response
            .on('data', (chunk) => (all += chunk))
            .on('end', () => done(all))
            .on('error', (error) => done(error.code));
        });
        request.on('error', (error) => done(error.code));
      }, 3000);
      if (text !== sent) seen.push(text.startsWith('x') ? `${text.length} bytes` : text);
    }
    server.close();
    return [seen.length > 0, `${seen.length} of 30 responses are not whole: ${[...new Set(seen)].slice(0, 3).join()}`];
  },
  /** Batch file argument with an escaped percent sign. */
  percent() {
    const batch = file('percent.cmd', '@echo %*\r\n');
    const args = ['/d', '/e:on', '/v:off', '/s', '/c', `""${batch}" "100%%cd:~,%" "%%cd:~,%PATH%%cd:~,% %%cd:~,%1""`];
    const { status, stdout } = spawnSync('cmd.exe', args, { windowsVerbatimArguments: true, encoding: 'utf8' });
    return [stdout.trim() !== '"100%" "%PATH% %1"', `exit code ${status}: ${stdout.trim().slice(0, 60)}`];
  },
};

async function main() {
  for (const [name, run] of Object.entries(gaps)) {
    let result;
    const start = Date.now();
    try {
      result = await run();
    } catch (error) {
      result = [true, String(error.code ?? error)];
    }
    fs.appendFileSync(
      path.join(folder, 'gaps.jsonl'),
      `${JSON.stringify({ name, isGap: result[0], seen: result[1], ms: Date.now() - start })}\n`,
    );
  }
  process.exit(0);
}
void main();
