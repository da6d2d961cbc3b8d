import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LanceClient } from '../../../src/services/codebase/lance/lanceClient';
import { caseLimitMs } from '../../support/until';

const count = { kind: 'count', place: { folder: '', table: '' } } as const;

describe('the process of LanceDB', () => {
  let folder = '';
  let client: LanceClient | null = null;
  beforeEach(async () => (folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-lance-'))));
  afterEach(async () => {
    await client?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a client whose process runs `script`. */
  async function start(script: string, limits = { readMs: caseLimitMs, writeMs: caseLimitMs }): Promise<LanceClient> {
    const file = path.join(folder, 'child.js');
    await writeFile(file, `process.on('message', (m) => { if (m.kind === 'close') process.exit(0); ${script} });`);
    return (client = new LanceClient(file, limits));
  }

  it('is started again after it was killed, three times, and then no more', async () => {
    // Windows does not have this signal, so the process exits with a code.
    const isWindows = process.platform === 'win32';
    const end = isWindows ? 'process.exit(0xc000001d)' : "process.kill(process.pid, 'SIGILL')";
    const message = isWindows ? /exit code \d+/ : /SIGILL/;
    const calls = await start(`console.error('no AVX2'); ${end}`);
    for (let time = 0; time < 3; time += 1) await assert.rejects(calls.call(count), { code: 'ended', message });
    assert.equal(calls.isGivenUp, true);
    await assert.rejects(calls.call(count), { code: 'ended', message: new RegExp(`3 times.*${message.source}.*no AVX2`, 's') });
  });

  it('goes on after one end, and what was asked meanwhile is refused', async () => {
    const mark = path.join(folder, 'mark').replaceAll('\\', '/');
    const calls = await start(
      `const fs = require('fs'); if (!fs.existsSync('${mark}')) { fs.writeFileSync('${mark}', ''); process.exit(7); }
       process.send({ id: m.id, kind: 'count', count: 5 })`,
    );
    const both = await Promise.allSettled([calls.call(count), calls.call(count)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(await calls.call(count), { id: 3, kind: 'count', count: 5 });
  });

  it('is ended where it does not answer', async () => {
    const calls = await start('', { readMs: 200, writeMs: 200 });
    await assert.rejects(calls.call(count), { code: 'late' });
  });

  it('closes after what was asked before, and starts again for the next', async () => {
    const calls = await start(`process.send({ id: m.id, kind: 'count', count: process.pid })`);
    const pid = async () => ((await calls.call(count)) as { count: number }).count;
    const first = await pid();
    await calls.close();
    assert.throws(() => process.kill(first, 0));
    assert.notEqual(await pid(), first);
  });
});
