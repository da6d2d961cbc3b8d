import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { hold } from '../../support/ollama/doubleReply';
import { until } from '../../support/until';
import { ApiBench } from '../api/support';

const program = path.join(__dirname, '../../../src/cli/main.js');

/** Text without repetition that is longer than a pipe can hold. */
const words = Array.from({ length: 40_000 }, (_, index) => index).join(', ');

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** The real program with pipes, signals, and a server that stops. */
describe('the program ollama-copilot in scripts', () => {
  let bench: ApiBench;
  const started: ChildProcess[] = [];
  beforeEach(async () => {
    bench = await ApiBench.start();
    bench.hasPerson = false;
  });
  afterEach(async () => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    await bench.stop();
  });

  /** Runs a shell line in which `$cli` stands for the program. */
  function shell(line: string, stdin: 'ignore' | 'pipe' = 'ignore'): { child: ChildProcess; ended: Promise<Ended> } {
    const connect = path.join(bench.agent.storageFolder(), 'api.json');
    const cli = `"${process.execPath}" "${program}" --connect "${connect}"`;
    const child = spawn('bash', ['-c', `set -o pipefail; ${line.replaceAll('$cli', cli)}`], { stdio: [stdin, 'pipe', 'pipe'] });
    started.push(child);
    let out = '';
    let err = '';
    child.stdout?.on('data', (text) => (out += String(text)));
    child.stderr?.on('data', (text) => (err += String(text)));
    const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
    return { child, ended };
  }

  async function asked(): Promise<string> {
    bench.agent.double.script.push('Much.');
    const id = await bench.agent.send(words, { mode: 'ask' });
    await bench.agent.over(id);
    return id;
  }

  if (process.platform !== 'win32') {
    it('reads a pipe as part of the message, and needs no other input', async () => {
      bench.agent.double.script.push('One.', 'Two.', 'Three.');
      assert.deepEqual(await shell('printf "the diff" | $cli ask "Review this"').ended, { code: 0, out: 'One.\n', err: '' });
      assert.match(JSON.stringify(bench.agent.double.requestsTo('/api/chat').at(-1)?.body), /Review this\\n\\n```\\nthe diff/);
      // Tests an input that another program opened but never writes to, and a closed input.
      assert.deepEqual(await shell('$cli ask Hello', 'pipe').ended, { code: 0, out: 'Two.\n', err: '' });
      assert.deepEqual(await shell('$cli ask Hello <&-').ended, { code: 0, out: 'Three.\n', err: '' });
    });

    it('ends quietly when its reader ends', async () => {
      const id = await asked();
      assert.deepEqual(await shell(`$cli export ${id} | head -c 5`).ended, { code: 141, out: '# 0, ', err: '' });
      const watched = await shell(`$cli watch ${id} --from 0 | head -c 16`).ended;
      assert.deepEqual(watched, { code: 141, out: '{"type":"user","', err: '' });
    });

    it('stops its run when its reader ends', async () => {
      const held = hold();
      const later = hold();
      bench.agent.double.script.push(['One, two', held.step, ' and three', later.step, 'Never.']);
      const gone = path.join(bench.agent.storageFolder(), 'gone');
      const { ended } = shell(`$cli run Talk | (head -c 4; exec <&-; touch "${gone}")`);
      await until(() => existsSync(gone));
      held.release();
      assert.deepEqual(await ended, { code: 141, out: 'One,', err: '' });
      const { sessions } = await bench.agent.database.sessions.list({ offset: 0, limit: 1 });
      await bench.agent.over(sessions[0]?.id ?? '');
    });

    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)
      it(`stops its run at ${signal}`, async () => {
        const held = hold();
        bench.agent.double.script.push([held.step, 'Never.']);
        const { child, ended } = shell('exec $cli run Talk');
        await until(() => bench.agent.double.requestsTo('/api/chat').length >= 1);
        child.kill(signal);
        const result = await ended;
        assert.deepEqual([result.code, result.err.trim()], [code, '']);
        const { sessions } = await bench.agent.database.sessions.list({ offset: 0, limit: 1 });
        await bench.agent.over(sessions[0]?.id ?? '');
        const { child: watching, ended: watched } = shell(`exec $cli watch ${sessions[0]?.id} --from 0`);
        await new Promise((resolve) => watching.stdout?.once('data', resolve));
        watching.kill(signal);
        assert.deepEqual((await watched).code, code);
      });

    it('reports in one line that the server has ended', async () => {
      const held = hold();
      bench.agent.double.script.push([held.step, 'Never.']);
      const { ended } = shell('$cli run Talk');
      await until(() => bench.agent.double.requestsTo('/api/chat').length >= 1);
      await bench.server.dispose();
      const { code, err } = await ended;
      assert.equal(code, 7);
      assert.match(err, /^ollama-copilot: Could not reach the server at [^\n]*\n$/);
      held.release();
    });

    it('writes completion scripts that its shell accepts', async () => {
      assert.deepEqual(await shell('$cli completion bash | bash -n').ended, { code: 0, out: '', err: '' });
      const line = 'eval "$($cli completion bash)"; COMP_WORDS=(ollama-copilot run --approve ""); COMP_CWORD=3; _ollama_copilot';
      const { out } = await shell(`${line}; echo "\${COMPREPLY[*]}"`).ended;
      assert.equal(out, 'none read edit safe sandbox\n');
    });
  }
});
