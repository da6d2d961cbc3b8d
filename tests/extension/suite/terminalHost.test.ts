import assert from 'node:assert/strict';
import { existsSync, realpathSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import * as vscode from 'vscode';
import { BackgroundCommands } from '../../../src/services/terminal/run/backgroundCommands';
import { CommandOutputs } from '../../../src/services/terminal/run/commandOutputs';
import { TerminalManager } from '../../../src/services/terminal/run/terminalManager';
import { isAtPrompt } from '../../../src/services/terminal/run/terminalProcesses';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { isProcessGone } from '../../../src/utils/processes';
import { waitForTerminalEnd, heard, isForeign } from '../../../src/vscode/terminal/terminalExecution';
import { EditorTerminalHost } from '../../../src/vscode/terminal/terminalHost';
import { caseLimitMs, eventually, until } from '../../support/until';

describe('Commands in a real terminal', () => {
  let host: EditorTerminalHost | undefined;
  let manager: TerminalManager;
  let cwd: string;
  let now = 0;

  before(async () => {
    cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd();
    // On a busy machine, the first shell may start more slowly than a command waits for it.
    await until(async () => {
      host?.dispose();
      host = new EditorTerminalHost({ now: () => now });
      manager = new TerminalManager(host, systemClock, silentLogger);
      return (await manager.run(request('true'))).via === 'terminal';
    }, 'no command ran in a terminal');
  });

  after(() => host?.dispose());

  const request = (command: string, timeoutMs = caseLimitMs, signal = new AbortController().signal) => ({
    sessionId: 'test-session',
    command,
    cwd,
    timeoutMs,
    signal,
  });
  const run = (...of: Parameters<typeof request>) => manager.run(request(...of));

  /** Runs a command that is ended by its timeout. Doubles the timeout until the output matches. */
  function runOut(command: string, said: RegExp): Promise<void> {
    let timeoutMs = 750;
    return eventually(async () => {
      const { status, output } = await run(command, (timeoutMs *= 2));
      assert.equal(status, 'timedOut');
      assert.match(output, said);
    });
  }

  it('gives output and exit code by shell integration', async () => {
    const outcome = await run('echo "hi-$((1+2)) ümläut ñ עברית"');
    assert.deepEqual(
      [outcome.via, outcome.status, outcome.exitCode, outcome.output.trim()],
      ['terminal', 'exited', 0, 'hi-3 ümläut ñ עברית'],
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
    await runOut('echo started; sleep 600', /started/);
    assert.match((await run('echo next')).output, /next/);
  });

  it('leaves its terminal to a command that continues in the background, and runs the next one in another', async () => {
    const outputs = new CommandOutputs(silentLogger);
    const background = new BackgroundCommands(systemClock, silentLogger);
    const followed = new TerminalManager(host, systemClock, silentLogger, { outputs, background });
    const onOutput = (text: string): void => {
      if (text.includes('going')) outputs.continueInBackground('test-session', 'call');
    };
    const marker = path.join(cwd, 'go-on');
    const command = `echo going; while [ ! -e '${marker}' ]; do sleep 0.1; done; echo gone; rm '${marker}'; (exit 4)`;
    const { status, via, background: begun } = await followed.run({ ...request(command), callId: 'call', onOutput });
    assert.deepEqual([status, via], ['background', 'terminal']);
    const next = await run('echo next');
    assert.deepEqual([next.via, next.exitCode, next.output.trim()], ['terminal', 0, 'next']);
    await writeFile(marker, '');
    await background.whenEnded('test-session', begun?.id ?? '');
    const report = await background.readOutput('test-session', begun?.id ?? '', new AbortController().signal);
    assert.deepEqual([report?.state, report?.exitCode, report?.output], ['exited', 4, 'going\ngone']);
    await background.dispose();
  });

  it('ends a command that is cancelled', async () => {
    const abort = new AbortController();
    const onOutput = (): void => abort.abort();
    const { status } = await manager.run({ ...request('echo going; sleep 600', caseLimitMs, abort.signal), onOutput });
    assert.equal(status, 'cancelled');
  });

  it('ends a command that refuses to be interrupted, and its process with it, when it is cancelled', async () => {
    // The loop does not end on its own, on a signal, or when its terminal closes.
    const loop = 'trap "" HUP INT TERM; echo pid-$$-; while true; do sleep 0.05; done';
    // First as a separate program, then in the shell itself.
    for (const command of [`sh -c '${loop}'`, loop]) {
      const abort = new AbortController();
      let said = '';
      const pid = () => Number(/pid-(\d+)-/.exec(said)?.[1] ?? 0);
      const onOutput = (text: string): void => {
        said += text;
        if (pid() > 0) abort.abort();
      };
      const rest = path.join(cwd, 'rest-of-the-list');
      const list = `${command} || true; touch '${rest}'; sleep 600`;
      const { status, via } = await manager.run({ ...request(list, caseLimitMs, abort.signal), onOutput });
      assert.deepEqual([status, via, existsSync(rest)], ['cancelled', 'terminal', false]);
      await until(() => isProcessGone(pid()));
    }
  });

  it('gives a huge output by its ends', async () => {
    const line = 'x'.repeat(99);
    const outcome = await run(`echo first; yes ${line} | head -c 5000000; echo last`);
    const lines = outcome.output.split('\n');
    assert.deepEqual(
      [outcome.via, outcome.status, outcome.exitCode, lines[0], lines.at(-1)],
      ['terminal', 'exited', 0, 'first', 'last'],
    );
    assert.equal(outcome.truncatedLines > 40_000, true);
  });

  it('gives wide and joined characters whole', async () => {
    const text = '正規表現 👩‍👩‍👧 ñ é עברית';
    const { via, output } = await run(`echo '${text}'`);
    assert.deepEqual([via, output], ['childProcess', text]);
    const printed = await run("printf '\\xe6\\xad\\xa3\\xf0\\x9f\\x99\\x82'");
    assert.deepEqual([printed.via, printed.output], ['terminal', '正🙂']);
  });

  it('begins the next command in another terminal where one had to be killed', async () => {
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await run("trap '' INT; sleep 600; echo over", 1500)).status, 'timedOut');
      assert.equal((await run('echo next')).output, 'next');
    }
  });

  it('answers when a program asks and nobody can answer', async () => {
    await runOut('read -p "Continue? [y/N] " answer; echo "got $answer"', /Continue\?/);
    assert.equal((await run('echo next')).output, 'next');
  });

  it('answers when its terminal is closed under a command', async () => {
    let heard = '';
    const close = (): void => terminalsOfOurs().forEach((terminal) => terminal.dispose());
    const onOutput = (text: string): void => ((heard += text).includes('begun') ? close() : undefined);
    const outcome = await manager.run({ ...request('echo begun; sleep 600'), onOutput });
    assert.deepEqual([outcome.status, outcome.exitCode], ['closed', null]);
    assert.match(outcome.output, /begun/);
    assert.equal((await run('echo next')).output, 'next');
  });

  it('answers when a command ends the shell', async () => {
    const { status, exitCode } = await run('exit 3');
    assert.deepEqual([status, exitCode], ['exited', 3]);
    assert.equal((await run('echo next')).output, 'next');
  });

  it('answers when the shell itself is killed', async () => {
    assert.equal((await run('kill -KILL $$')).status, 'closed');
    assert.equal((await run('echo next')).output, 'next');
  });

  it('leaves alone what a person runs in the terminal', async () => {
    await run('true');
    const [terminal] = terminalsOfOurs();
    const begun = nextStart();
    terminal?.sendText('sleep 600');
    await begun;
    assert.match((await run('echo beside')).output, /beside/);
    assert.equal(terminal?.exitStatus, undefined);
    terminal?.dispose();
  });

  it('hears of every command, whatever bash says that it runs', async () => {
    const commands = [
      ['echo one | cat', 'one'],
      ['(echo two)', 'two'],
      ['cd . && echo three', 'three'],
      ['{ echo four; }; (exit 4)', 'four'],
      ['! false && [[ 5 == 5 ]] && echo "it\'s" 5 \'ä"\'', `it's 5 ä"`],
      ['said six', 'six'],
      ['for i in 7; do echo $i; done', '7'],
      ['sleep 0.1 & wait; echo eight', 'eight'],
    ] as const;
    for (const history of ['', 'HISTCONTROL=ignoreboth\n']) {
      await inBash(`${history}alias said='echo'\n`, async () => {
        for (const [command, expected] of commands) {
          const { via, output, exitCode } = await manager.run({ ...request(command), sessionId: `bash ${history}` });
          assert.deepEqual(
            [via, output.split('\n').at(-1), exitCode],
            ['terminal', expected, command.includes('exit 4') ? 4 : 0],
          );
        }
      });
    }
  });

  it('says so where what a command printed cannot be read, and does without such a terminal for a while', async () => {
    // Enter appends to the typed text, as abbreviations do, so that the editor takes it for a different command.
    await inBash(`bind '"\\C-m": " #x\\C-j"'\n`, async () => {
      const other = (command: string) => manager.run({ ...request(command), sessionId: 'other words' });
      const outcomes = [];
      for (const word of ['one', 'two', 'three']) outcomes.push(await other(`echo ${word}`));
      // At most one command. The next command is not sent to the terminal.
      const lost = outcomes.findIndex(({ output }) => output.includes('could not be read'));
      assert.deepEqual(
        outcomes.map(({ via, output, exitCode }, index) => [via, exitCode, index === lost ? '' : output]),
        ['one', 'two', 'three'].map((word, index) => [
          ...[lost >= 0 && index > lost ? 'childProcess' : 'terminal', 0, index === lost ? '' : word],
        ]),
      );
      now += 11 * 60_000;
      const later = await other('sleep 0.5; echo later');
      assert.deepEqual([later.via, later.output.split('\n').at(-1)], ['terminal', 'later']);
    });
    now += 11 * 60_000;
  });

  it('knows by the prompt that a command has ended, where the editor does not tell', async () => {
    assert.equal((await run('true')).via, 'terminal');
    const terminal = terminalsOfOurs().at(-1);
    assert.ok(terminal?.shellIntegration);
    const shell = await terminal.processId;
    const started = nextStart();
    const untold = { is: () => false, output: Readable.from([]), started };
    let isOver = false;
    const end = waitForTerminalEnd(terminal, untold, true).finally(() => (isOver = true));
    const marker = path.join(cwd, 'reads');
    terminal.shellIntegration.executeCommand(
      `while [ ! -e '${marker}' ]; do sleep 0.1; done; touch '${marker}-now'; read -r line`,
    );
    await started;
    assert.equal(await isAtPrompt(shell), false);
    await writeFile(marker, '');
    await until(() => existsSync(`${marker}-now`));
    assert.deepEqual([await isAtPrompt(shell), isOver], [false, false]);
    terminal.sendText('a line');
    assert.deepEqual(await end, { exitCode: undefined, isClosed: false });
    for (const file of [marker, `${marker}-now`]) await rm(file);
    assert.equal((await run('echo next')).output, 'next');
  });

  it('tells what is whole from what is not', async () => {
    const mark = '\u001b]633;C\u0007';
    const said = async (...texts: string[]) => {
      let losses = 0;
      let all = '';
      for await (const text of heard(Readable.from(texts), () => (losses += 1))) all += text;
      return [losses, all.replace(/\[What .* could not be read.*\]\n/, '<lost>')];
    };
    assert.deepEqual(await said(`${mark}one`, 'two'), [0, `${mark}onetwo`]);
    assert.deepEqual(await said(mark), [0, mark]);
    assert.deepEqual(await said('two', 'three'), [1, '<lost>twothree']);
    assert.deepEqual(await said(), [1, '<lost>']);
  });

  it('takes no other command for its own', () => {
    const line = (value: string) => ({ commandLine: { value, confidence: 2, isTrusted: true } });
    const foreign = (begun: string, asked: string) => isForeign(line(begun), line(asked));
    assert.equal(foreign('source venv/bin/activate', "eval 'ls'"), true);
    assert.equal(foreign("eval 'ls' # x", "eval 'ls'"), false);
    assert.equal(foreign('', 'ls'), true);
    assert.equal(foreign('ls --color', 'ls'), false);
  });

  it('tells programs not to page, and zsh not to mark the end of what they say', async () => {
    const { output } = await run('env | grep -E "^(GIT_PAGER|PAGER|PROMPT_EOL_MARK)=" | sort');
    assert.equal(output, 'GIT_PAGER=cat\nPAGER=cat\nPROMPT_EOL_MARK=');
  });

  it('does without shell integration, under the same rules', async () => {
    const settings = vscode.workspace.getConfiguration('terminal.integrated.shellIntegration');
    await settings.update('enabled', false, vscode.ConfigurationTarget.Global);
    try {
      const bare = (command: string, timeoutMs?: number) => manager.run({ ...request(command, timeoutMs), sessionId: 'bare' });
      const { via, output, exitCode } = await bare('echo "hi ümläut"; exit 4');
      assert.deepEqual([via, output, exitCode], ['childProcess', 'hi ümläut', 4]);
      assert.equal((await bare('echo started; sleep 600', 1500)).status, 'timedOut');
      const huge = await bare('yes a line of output | head -c 100000000');
      assert.deepEqual([huge.status, huge.output.split('\n').length], ['exited', 101]);

      // Another session does not repeat a wait that has already failed.
      const another = () => manager.run({ ...request('echo other'), sessionId: 'another' });
      const opened: vscode.Terminal[] = [];
      const listener = vscode.window.onDidOpenTerminal((terminal) => opened.push(terminal));
      assert.deepEqual([(await another()).via, opened.length], ['childProcess', 0]);
      now += 11 * 60_000;
      assert.deepEqual([(await another()).via, opened.length], ['childProcess', 1]);
      assert.deepEqual([(await another()).via, opened.length], ['childProcess', 1]);
      listener.dispose();
    } finally {
      await settings.update('enabled', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('tries a terminal again after a while, in every session, and each has its own', async () => {
    now += 11 * 60_000;
    const shells = new Set<string>();
    for (const sessionId of ['later', 'another', 'later']) {
      const { via, output } = await manager.run({ ...request('echo $$'), sessionId });
      assert.equal(via, 'terminal');
      shells.add(output);
    }
    assert.equal(shells.size, 2);
  });

  /** Runs `work` with bash as the default shell of new terminals. Bash reads `settings` when it starts. */
  async function inBash(settings: string, work: () => Promise<void>): Promise<void> {
    const file = path.join(homedir(), '.bashrc');
    const profiles = vscode.workspace.getConfiguration('terminal.integrated.defaultProfile');
    const system = process.platform === 'darwin' ? 'osx' : 'linux';
    await profiles.update(system, 'bash', vscode.ConfigurationTarget.Global);
    await writeFile(file, settings);
    try {
      await work();
    } finally {
      await rm(file, { force: true });
      await profiles.update(system, undefined, vscode.ConfigurationTarget.Global);
    }
  }

  function nextStart(): Promise<void> {
    return new Promise((resolve) => {
      const listener = vscode.window.onDidStartTerminalShellExecution(() => {
        listener.dispose();
        resolve();
      });
    });
  }

  const terminalsOfOurs = () => vscode.window.terminals.filter(({ name }) => name === 'Ollama Copilot');
});
