import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from '../../../src/cli/commands';
import { serve } from '../../../src/serve/serve';
import { OllamaDouble } from '../../support/ollama/double';
import { until } from '../api/support';
import { serveWorkers as workers } from './support';

const touch = '<tool_call>{"name": "run_terminal_command", "arguments": {"command": "touch made.txt"}}</tool_call>';

const size = () => ({ columns: 80, rows: 24 });

/** One `serve` that goes on. */
interface Served {
  noted(): string;
  end(): Promise<number>;
}

describe('ollama-copilot serve', () => {
  let root: string;
  let folder: string;
  let storage: string;
  let double: OllamaDouble;
  const served: Served[] = [];

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-serve-')));
    [folder, storage] = [path.join(root, 'project'), path.join(root, 'storage')];
    await mkdir(folder);
    double = await OllamaDouble.start({ models: [{ name: 'worker', capabilities: ['completion', 'tools'] }] });
  });

  afterEach(async () => {
    for (const one of served.splice(0)) await one.end();
    await double.close();
    await rm(root, { recursive: true, force: true });
  });

  function begin(args: string[], askText: ((prompt: string) => Promise<string>) | null = null): Served {
    let noted = '';
    const stop = new AbortController();
    const done = serve(['--storage', storage, '--base-url', double.url, '--model', 'worker', '--port', '0', ...args], {
      note: (text) => void (noted += text),
      ...{ fresh: () => undefined, size, askText, environment: {}, signal: stop.signal, workers, version: '1.0.0' },
    });
    const one = {
      noted: () => noted,
      end: async () => {
        stop.abort();
        return done;
      },
    };
    served.push(one);
    return one;
  }

  async function ready(args: string[], askText: ((prompt: string) => Promise<string>) | null = null): Promise<Served> {
    const one = begin(args, askText);
    await until(() => one.noted().includes('Serving'));
    return one;
  }

  async function client(args: string[]): Promise<{ code: number; text: string }> {
    let text = '';
    const code = await runCommand(['--connect', path.join(storage, 'api.json'), ...args], {
      write: (written) => void (text += written),
      writeDocument: (written) => void (text += written),
      note: (written) => void (text += written),
      ...{ fresh: () => undefined, size, askText: null, environment: {}, signal: new AbortController().signal },
    });
    return { code, text };
  }

  it('lets a client that was allowed to write ask, in the storage that an editor can open', async () => {
    double.script.push('Hello there.');
    const one = await ready(['--allow', 'ollama-copilot:write', folder]);
    assert.deepEqual(await client(['ask', 'Say', 'hello']), { code: 0, text: 'Hello there.\n' });
    assert.equal(await one.end(), 0);
    assert.equal(existsSync(path.join(storage, 'api.json')), false);
    await ready(['--allow', 'ollama-copilot:write', folder]);
    assert.match((await client(['sessions'])).text, /Say hello/);
  });

  it('refuses what asks where nobody is there, and says so', async () => {
    double.script.push(touch, 'It was refused. [TASK_COMPLETE]');
    const one = await ready(['--allow', 'ollama-copilot:write', folder]);
    await client(['run', 'Make it']);
    assert.match(one.noted(), /\? Allow this command\?\n[^]*│ touch made\.txt\nRefused, because nobody can be asked/);
    assert.equal(existsSync(path.join(folder, 'made.txt')), false);
  });

  it('asks on its terminal', async () => {
    double.script.push(touch, 'Made. [TASK_COMPLETE]');
    const one = await ready([folder], async () => 'y');
    assert.equal((await client(['run', 'Make it'])).code, 0);
    assert.equal(existsSync(path.join(folder, 'made.txt')), true);
    const [, first = '', second = ''] = one.noted().split('\n? ');
    assert.match(first, /^Allow this client for an hour\?\n {2}Risk .*sends messages.*\n {2}Client .*ollama-copilot$/);
    assert.match(second, /^Allow this command\?\n[^]*│ touch made\.txt\n/);
  });

  it('shows nothing on its terminal that would change what is read there', async () => {
    const hidden = touch.replace('touch made.txt', 'touch made.txt\\u202e');
    double.script.push(hidden, 'Refused. [TASK_COMPLETE]');
    const answers = ['y', 'n'];
    const one = await ready([folder], async () => answers.shift() ?? 'n');
    await client(['run', 'Make it']);
    assert.match(one.noted(), /│ touch made\.txt⟨U\+202E⟩\n/);
    assert.doesNotMatch(one.noted(), /[\u001b\u202e]/);
  });

  it('lets nobody write who was not allowed to', async () => {
    const one = await ready(['--allow', 'another:run', folder]);
    const { code, text } = await client(['ask', 'Hello']);
    assert.notEqual(code, 0);
    assert.match(text, /allow/i);
    assert.match(one.noted(), /Client {4}│ ollama-copilot\nRefused/);
    assert.equal(double.requestsTo('/api/chat').length, 0);
  });

  it('gives the rights of --allow to the client that has its key, and to no other that takes its name', async () => {
    const one = await ready(['--allow', 'ollama-copilot:write', '--allow', 'a ci:run', folder]);
    const read = async (name: string) =>
      JSON.parse(await readFile(path.join(storage, name), 'utf8')) as Record<'url' | 'token' | 'client' | 'key', string>;
    const { url, token } = await read('api.json');
    const create = async (name: string, key: string | undefined) => {
      const given = key === undefined ? {} : { 'X-Client-Key': key };
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Client': name, ...given };
      return (await fetch(`${url}/api/dialogs`, { method: 'POST', body: '{}', headers })).status;
    };
    const [mine, ci] = [await read('api.ollama-copilot.json'), await read('api.a%20ci.json')];
    assert.deepEqual([mine.client, ci.client, ci.url], ['ollama-copilot', 'a ci', url]);
    assert.deepEqual([await create('a ci', ci.key), await create('ollama-copilot', mine.key)], [200, 200]);
    for (const key of [undefined, mine.key, token]) assert.equal(await create('a ci', key), 403);
    if (process.platform !== 'win32') assert.equal((await stat(path.join(storage, 'api.a%20ci.json'))).mode & 0o777, 0o600);
    await one.end();
    assert.equal(existsSync(path.join(storage, 'api.a%20ci.json')), false);
  });

  it('stays in the folders that were named', async () => {
    await writeFile(path.join(root, 'outside.txt'), 'kept elsewhere');
    const read = `<tool_call>{"name": "read_file", "arguments": {"path": ${JSON.stringify(path.join(root, 'outside.txt'))}}}</tool_call>`;
    double.script.push(read, 'I could not. [TASK_COMPLETE]');
    await ready(['--allow', 'ollama-copilot:write', folder]);
    await client(['run', 'Read it']);
    assert.doesNotMatch(JSON.stringify(double.requestsTo('/api/chat').at(-1)?.body), /kept elsewhere/);
  });

  it('shares its storage with a second one', async () => {
    double.script.push('One.', 'Two.');
    const first = await ready(['--allow', 'ollama-copilot:write', folder]);
    const { url } = JSON.parse(await readFile(path.join(storage, 'api.json'), 'utf8')) as { url: string };
    await ready(['--allow', 'ollama-copilot:write', folder]);
    assert.equal((await client(['ask', 'First'])).text, 'One.\n');
    const later = JSON.parse(await readFile(path.join(storage, 'api.json'), 'utf8')) as { url: string };
    assert.notEqual(later.url, url);
    await first.end();
    assert.equal((await client(['ask', 'Second'])).text, 'Two.\n');
  });

  it('offers tools after a restart to a model that was pulled again and now has them', async () => {
    double.addModel({ name: 'worker', digest: 'a'.repeat(64) });
    double.script.push('Hello.', 'Hello again.');
    const one = await ready(['--allow', 'ollama-copilot:write', folder]);
    await client(['run', 'Say hello']);
    await one.end();
    double.addModel({ name: 'worker', digest: 'b'.repeat(64), capabilities: ['completion', 'tools'] });
    await ready(['--allow', 'ollama-copilot:write', folder]);
    await client(['run', 'Say hello again']);
    const asked = double.requestsTo('/api/chat').map(({ body }) => body as { messages?: unknown[]; tools?: unknown[] });
    assert.ok((asked.filter(({ messages = [] }) => messages.length > 0).at(-1)?.tools?.length ?? 0) > 0);
  });

  for (const [what, args, words] of [
    ['no folder', [], /Name the folders/],
    ['a folder that is not there', ['nowhere'], /nowhere is no folder/],
    ['a right that there is none of', ['--allow', 'me:everything', '.'], /NAME:SCOPE/],
    ['a port that is none', ['--port', 'x', '.'], /x is no port/],
    ['an option that there is none of', ['--what', '.'], /--what/],
    ['settings that cannot be read', ['--settings', 'nowhere.json', '.'], /cannot be read/],
  ] as const)
    it(`says what to do about ${what}`, async () => {
      let noted = '';
      const code = await serve(args, {
        note: (text) => void (noted += text),
        ...{ fresh: () => undefined, size, askText: null, environment: {} },
        ...{ signal: new AbortController().signal, workers, version: '1.0.0' },
      });
      assert.equal(code, 1);
      assert.match(noted, words);
    });
});
