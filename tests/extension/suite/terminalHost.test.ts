import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import { TerminalManager } from '../../../src/services/terminal/terminalManager';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { EditorTerminalHost } from '../../../src/vscode/terminalHost';

describe('Commands in a real terminal', () => {
  let host: EditorTerminalHost;
  let manager: TerminalManager;
  let cwd: string;

  before(async function () {
    this.timeout(60_000);
    host = new EditorTerminalHost();
    manager = new TerminalManager(host, systemClock, silentLogger);
    cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd();
    // On a busy machine the first shell may take longer than a command waits for it.
    for (let attempt = 0, via = ''; attempt < 5 && via !== 'terminal'; attempt += 1) ({ via } = await run('true'));
  });

  after(() => host.dispose());

  const run = (command: string, timeoutMs = 20_000, signal = new AbortController().signal) =>
    manager.run({ sessionId: 'test-session', command, cwd, timeoutMs, signal });

  it('gives output and exit code by shell integration', async () => {
    const outcome = await run('echo "hi-$((1+2)) ümläut 🙂"');
    assert.deepEqual(
      [outcome.via, outcome.status, outcome.exitCode, outcome.output.trim()],
      ['terminal', 'exited', 0, 'hi-3 ümläut 🙂'],
    );
  });

  it('keeps one terminal per session', async () => {
    const before = vscode.window.terminals.length;
    await run('echo again');
    assert.equal(vscode.window.terminals.length, before);
  });

  it('runs in the folder that was asked for, wherever an earlier command went', async () => {
    const asked = realpathSync(cwd);
    for (const elsewhere of ['/', '..']) {
      await run(`cd ${elsewhere}`);
      const { via, output } = await run('pwd -P');
      assert.deepEqual([via, output.trim()], ['terminal', asked]);
    }
  });

  it('writes tabs and lines as they are', async () => {
    const outcome = await run("cat <<'END'\nall:\n\techo hi\nEND");
    assert.deepEqual([outcome.exitCode, outcome.output], [0, 'all:\n\techo hi']);
  });

  it('tells a failing exit code', async () => {
    const outcome = await run('sh -c "exit 3"');
    assert.deepEqual([outcome.status, outcome.exitCode], ['exited', 3]);
  });

  it('gives what was seen so far when the time is up, and can run the next command', async () => {
    const outcome = await run('echo started; sleep 60', 1500);
    assert.equal(outcome.status, 'timedOut');
    assert.match(outcome.output, /started/);
    assert.match((await run('echo next')).output, /next/);
  });

  it('ends a command that is cancelled', async () => {
    const abort = new AbortController();
    const running = run('echo going; sleep 60', 30_000, abort.signal);
    setTimeout(() => abort.abort(), 1500);
    assert.equal((await running).status, 'cancelled');
  });
});
