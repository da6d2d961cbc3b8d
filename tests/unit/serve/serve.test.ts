import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { serve } from '../../../src/serve/serve';
import { hold } from '../../support/ollama/doubleReply';
import { until } from '../../support/until';
import { ServeBench, size } from './serveBench';
import { serveWorkers as workers } from './support';

const touch = '<tool_call>{"name": "run_terminal_command", "arguments": {"command": "touch made.txt"}}</tool_call>';

describe('ollama-copilot serve', () => {
  let bench: ServeBench;
  beforeEach(async () => {
    bench = await ServeBench.start();
  });
  afterEach(() => bench.stop());

  it('lets a client that was allowed to write ask, in the storage that an editor can open', async () => {
    bench.double.script.push('Hello there.');
    const one = await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    assert.deepEqual(await bench.client(['ask', 'Say', 'hello']), { code: 0, text: 'Hello there.\n' });
    assert.equal(await one.end(), 0);
    assert.equal(existsSync(path.join(bench.storage, 'api.json')), false);
    await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    assert.match((await bench.client(['sessions'])).text, /Say hello/);
  });

  it('refuses what asks where nobody is there, and says so', async () => {
    bench.double.script.push(touch, 'It was refused. [TASK_COMPLETE]');
    const one = await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    await bench.client(['run', 'Make it']);
    assert.match(one.noted(), /\? Allow this command\?\n[^]*│ touch made\.txt\nRefused because nobody can answer/);
    assert.equal(existsSync(path.join(bench.folder, 'made.txt')), false);
    assert.match(
      JSON.stringify(bench.double.requestsTo('/api/chat').at(-1)?.body),
      /Refused: this needs approval, and nobody could answer/,
    );
  });

  it('runs 20 tasks in a row without a user, of which a third ask for approval', async () => {
    await bench.ready(['--allow', 'ollama-copilot:run', bench.folder]);
    const codes: number[] = [];
    for (let task = 0; task < 20; task += 1) {
      if (task % 3 === 0) bench.double.script.push(touch);
      bench.double.script.push('Over. [TASK_COMPLETE]');
      codes.push((await bench.client(['run', `Task ${task}`])).code);
    }
    assert.deepEqual(
      codes,
      codes.map((_code, task) => (task % 3 === 0 ? 3 : 0)),
    );
    assert.equal(existsSync(path.join(bench.folder, 'made.txt')), false);
  });

  it('asks on its terminal', async () => {
    bench.double.script.push(touch, 'Made. [TASK_COMPLETE]');
    const one = await bench.ready([bench.folder], async () => 'y');
    assert.equal((await bench.client(['run', 'Make it'])).code, 0);
    assert.equal(existsSync(path.join(bench.folder, 'made.txt')), true);
    const [, first = '', second = ''] = one.noted().split('\n? ');
    assert.match(first, /^Allow this client for one hour\?\n {2}Risk .*sends messages.*\n {2}Client .*ollama-copilot$/);
    assert.match(second, /^Allow this command\?\n[^]*│ touch made\.txt\n/);
  });

  it('shows nothing on its terminal that would change what is read there', async () => {
    const hidden = touch.replace('touch made.txt', 'touch made.txt\\u202e');
    bench.double.script.push(hidden, 'Refused. [TASK_COMPLETE]');
    const answers = ['y', 'n'];
    const one = await bench.ready([bench.folder], async () => answers.shift() ?? 'n');
    await bench.client(['run', 'Make it']);
    assert.match(one.noted(), /│ touch made\.txt⟨U\+202E⟩\n/);
    assert.doesNotMatch(one.noted(), /[\u001b\u202e]/);
  });

  it('lets nobody write who was not allowed to', async () => {
    const one = await bench.ready(['--allow', 'another:run', bench.folder]);
    const { code, text } = await bench.client(['ask', 'Hello']);
    assert.notEqual(code, 0);
    assert.match(text, /allow/i);
    assert.match(one.noted(), /Client {4}│ ollama-copilot\nRefused/);
    assert.equal(bench.double.requestsTo('/api/chat').length, 0);
  });

  it('gives the rights of --allow to the client that has its key, and to no other that takes its name', async () => {
    const one = await bench.ready(['--allow', 'ollama-copilot:write', '--allow', 'a ci:run', bench.folder]);
    const read = async (name: string) =>
      JSON.parse(await readFile(path.join(bench.storage, name), 'utf8')) as Record<'url' | 'token' | 'client' | 'key', string>;
    const { url, token } = await read('api.json');
    const create = async (name: string, key: string | undefined) => {
      const given = key === undefined ? {} : { 'X-Client-Key': key };
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Client': name, ...given };
      return (await fetch(`${url}/api/dialogs`, { method: 'POST', body: '{}', headers })).status;
    };
    const mine = await read('api.ollama-copilot.json');
    const ci = await read('api.a%20ci.json');
    assert.deepEqual([mine.client, ci.client, ci.url], ['ollama-copilot', 'a ci', url]);
    assert.deepEqual([await create('a ci', ci.key), await create('ollama-copilot', mine.key)], [200, 200]);
    for (const key of [undefined, mine.key, token]) assert.equal(await create('a ci', key), 403);
    if (process.platform !== 'win32') assert.equal((await stat(path.join(bench.storage, 'api.a%20ci.json'))).mode & 0o777, 0o600);
    await one.end();
    assert.equal(existsSync(path.join(bench.storage, 'api.a%20ci.json')), false);
  });

  it('stays in the folders that were named', async () => {
    await writeFile(path.join(bench.root, 'outside.txt'), 'kept elsewhere');
    const read = `<tool_call>{"name": "read_file", "arguments": {"path": ${JSON.stringify(path.join(bench.root, 'outside.txt'))}}}</tool_call>`;
    bench.double.script.push(read, 'I could not. [TASK_COMPLETE]');
    await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    await bench.client(['run', 'Read it']);
    assert.doesNotMatch(JSON.stringify(bench.double.requestsTo('/api/chat').at(-1)?.body), /kept elsewhere/);
  });

  it('shares its storage with a second one', async () => {
    bench.double.script.push('One.', 'Two.');
    const first = await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    const { url } = JSON.parse(await readFile(path.join(bench.storage, 'api.json'), 'utf8')) as { url: string };
    await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    assert.equal((await bench.client(['ask', 'First'])).text, 'One.\n');
    const later = JSON.parse(await readFile(path.join(bench.storage, 'api.json'), 'utf8')) as { url: string };
    assert.notEqual(later.url, url);
    await first.end();
    assert.equal((await bench.client(['ask', 'Second'])).text, 'Two.\n');
  });

  it('offers tools after a restart to a model that was pulled again and now has them', async () => {
    bench.double.addModel({ name: 'worker', digest: 'a'.repeat(64) });
    bench.double.script.push('Hello.', 'Hello again.');
    const one = await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    await bench.client(['run', 'Say hello']);
    await one.end();
    bench.double.addModel({ name: 'worker', digest: 'b'.repeat(64), capabilities: ['completion', 'tools'] });
    await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    await bench.client(['run', 'Say hello again']);
    const asked = bench.double.requestsTo('/api/chat').map(({ body }) => body as { messages?: unknown[]; tools?: unknown[] });
    assert.ok((asked.filter(({ messages = [] }) => messages.length > 0).at(-1)?.tools?.length ?? 0) > 0);
  });

  it('shows a run that its end interrupted after the next start, and continues it', async () => {
    const held = hold();
    bench.double.script.push(touch, [held.step, 'Never.']);
    const first = await bench.ready(['--allow', 'ollama-copilot:run', bench.folder]);
    const running = bench.client(['run', '--approve', 'none', 'Make it']);
    await until(() => bench.double.script.length === 0);
    await first.end();
    held.release();
    assert.notEqual((await running).code, 0);

    bench.double.script.push('Done after all. [TASK_COMPLETE]');
    const second = await bench.ready(['--allow', 'ollama-copilot:run', bench.folder]);
    const [, id = ''] = /Interrupted: “Make it”\. Continue it with “ollama-copilot continue (\S+)”/.exec(second.noted()) ?? [];
    assert.match((await bench.client(['sessions'])).text, new RegExp(`^${id} .* Make it {2}\\(interrupted\\)\n$`));
    assert.deepEqual(await bench.client(['continue', id]), { code: 0, text: 'Done after all.\n' });
    assert.match((await bench.client(['sessions'])).text, /Make it\n$/);
    const asked = JSON.stringify(bench.double.requestsTo('/api/chat').at(-1)?.body);
    assert.match(asked, /Make it[^]*touch made\.txt/);
  });

  for (const [what, args, words] of [
    ['no folder', [], /at least one folder/],
    ['a folder that is not there', ['nowhere'], /nowhere is not a folder/],
    ['a right that there is none of', ['--allow', 'me:everything', '.'], /NAME:SCOPE/],
    ['a port that is none', ['--port', 'x', '.'], /x is not a valid port/],
    ['an option that there is none of', ['--what', '.'], /--what/],
    ['settings that cannot be read', ['--settings', 'nowhere.json', '.'], /Could not read/],
  ] as const)
    it(`says what to do about ${what}`, async () => {
      let noted = '';
      const code = await serve(args, {
        note: (text) => void (noted += text),
        fresh: () => undefined,
        write: () => undefined,
        size,
        askText: null,
        environment: {},
        signal: new AbortController().signal,
        workers,
        version: '1.0.0',
      });
      assert.equal(code, 2);
      assert.match(noted, words);
    });
});
