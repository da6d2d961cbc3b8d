import assert from 'node:assert/strict';
import { OllamaDouble, type DoubleOptions } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';
import { readFileTool } from './contractTarget';
import { rawExchange, rawPieces } from './rawHttp';
import { joined, jsonType, linesOf, streamType } from './wireShape';

const messages = [{ role: 'user', content: 'Hi' }];
const body = { model: 'm', messages };
const now = () => new Date('2026-01-02T03:04:05.600Z');

/** Registers tests of cases that cannot be provoked on a real server. */
export function doubleOnlyContract(): void {
  describe('the double alone', () => {
    let double: OllamaDouble;
    const start = async (options: DoubleOptions = {}) => {
      double = await OllamaDouble.start({
        models: [{ name: 'm', capabilities: ['completion', 'tools', 'thinking'] }],
        now,
        ...options,
      });
    };
    const chat = (fields: object = {}) => rawExchange(double.url, { path: '/api/chat', body: { ...body, ...fields } });

    afterEach(() => double.close());

    it('writes the literal lines of a stream with thinking, text and metrics', async () => {
      await start();
      const metrics = {
        total_duration: 1,
        load_duration: 1,
        prompt_eval_count: 1,
        prompt_eval_duration: 1,
        eval_count: 1,
        eval_duration: 1,
      };
      double.script.push({ steps: [{ thinking: 'Hm' }, 'Hi <&>'], metrics });
      assert.deepEqual(await chat(), {
        status: 200,
        contentType: streamType,
        text:
          '{"model":"m","created_at":"2026-01-02T03:04:05.6Z","message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}\n' +
          '{"model":"m","created_at":"2026-01-02T03:04:05.6Z","message":{"role":"assistant","content":"Hi \\u003c\\u0026\\u003e"},"done":false}\n' +
          '{"model":"m","created_at":"2026-01-02T03:04:05.6Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",' +
          '"total_duration":1,"load_duration":1,"prompt_eval_count":1,"prompt_eval_duration":1,"eval_count":1,"eval_duration":1}\n',
      });
    });

    it('puts content and thinking on the final chunk, and leaves zeros out', async () => {
      await start();
      double.script.push({
        final: { text: 'Bye', thinking: 'Hm' },
        metrics: { eval_count: 3, load_duration: 0 },
        doneReason: 'none',
      });
      assert.equal(
        (await chat()).text,
        '{"model":"m","created_at":"2026-01-02T03:04:05.6Z","message":{"role":"assistant","content":"Bye","thinking":"Hm"},"done":true,"eval_count":3}\n',
      );
    });

    it('sends calls at each of the three timings', async () => {
      await start();
      const call = (id: string | null) => ({ call: { name: 'read_file', arguments: { path: 'a' }, id } });
      const timed = async (timing: 'native' | 'rendered' | 'harmony') => {
        double.script.push({ steps: ['Now: ', call('x'), call(null)], timing, metrics: 'none' });
        const lines = linesOf(await chat({ tools: [readFileTool] }));
        return lines.map((line) => [line.done, ...((line.message as { tool_calls?: unknown[] }).tool_calls ?? [])]);
      };
      const wire = (index: number, id?: string) => ({
        ...(id === undefined ? {} : { id }),
        function: { index, name: 'read_file', arguments: { path: 'a' } },
      });
      assert.deepEqual(await timed('native'), [[false], [true, wire(0, 'x'), wire(1)]]);
      assert.deepEqual(await timed('rendered'), [[false], [false, wire(0, 'x')], [false, wire(1)], [true]]);
      assert.deepEqual(await timed('harmony'), [[false], [true, wire(0, 'x')]]);
    });

    it('splits lines and UTF-8 sequences anywhere', async () => {
      for (const chunkBytes of [1, 3, 7, 65_536]) {
        await start({ chunkBytes });
        double.script.push({ steps: ['naïve 日本語 🙂'.repeat(50)], metrics: 'none' });
        const pieces = await rawPieces(double.url, { path: '/api/chat', body });
        const longest = Math.max(...pieces.map((piece) => piece.length));
        assert.ok(longest <= chunkBytes, `${longest} bytes in one piece of at most ${chunkBytes}`);
        const text = Buffer.concat(pieces).toString('utf8');
        assert.equal(joined(linesOf({ status: 200, contentType: streamType, text })).content, 'naïve 日本語 🙂'.repeat(50));
        await double.close();
      }
      await start();
    });

    it('sends lines of several megabytes', async () => {
      await start();
      const content = 'é'.repeat(3_000_000);
      double.script.push({ steps: [{ call: { name: 'read_file', arguments: { content } } }] });
      const [call] = joined(linesOf(await chat({ tools: [readFileTool] }))).calls as { function: { arguments: object } }[];
      assert.deepEqual(call?.function.arguments, { content });
    });

    it('answers an error before the first chunk with its status', async () => {
      await start();
      const busy = 'server busy, please try again.  maximum pending requests exceeded';
      double.script.push({ refuse: { status: 503, message: busy } }, [{ error: 'boom', status: 502 }]);
      assert.deepEqual(await chat(), { status: 503, contentType: jsonType, text: `{"error":"${busy}"}` });
      assert.deepEqual(await chat(), { status: 502, contentType: 'application/json', text: '{"error":"boom"}' });
    });

    it('ends a stream with an error line at status 200', async () => {
      await start();
      double.script.push(['Hi', { error: 'llama-server chat error: map[code:500]' }, 'never said']);
      const { status, text } = await chat();
      const [, second, ...rest] = text.split('\n');
      assert.deepEqual([status, second, rest], [200, '{"error":"llama-server chat error: map[code:500]"}', ['']]);
    });

    it('ends a stream with neither done nor error; unstreamed that is done false', async () => {
      await start();
      double.script.push(['Hi', { end: true }], ['Hi', { end: true }]);
      assert.deepEqual(
        linesOf(await chat()).map((line) => line.done),
        [false],
      );
      const whole = await chat({ stream: false });
      assert.equal(
        whole.text,
        '{"model":"m","created_at":"2026-01-02T03:04:05.6Z","message":{"role":"assistant","content":"Hi"},"done":false}',
      );
    });

    it('resets the connection in mid-stream', async () => {
      await start();
      double.script.push(['Hi', { reset: true }]);
      await assert.rejects(chat(), { code: 'ECONNRESET' });
    });

    it('stays silent before the headers until the test goes on, and serves nobody else meanwhile', async () => {
      await start();
      const pause = hold();
      double.script.push([pause.step, 'first'], 'second');
      const order: string[] = [];
      const first = chat().then(() => order.push('first'));
      await double.until(() => double.requests.length === 1);
      const second = chat().then(() => order.push('second'));
      await double.until(() => double.requests.length === 2);
      assert.deepEqual([order, double.openStreams], [[], 2]);
      pause.release();
      await Promise.all([first, second]);
      assert.deepEqual([order, double.openStreams, double.script.length], [['first', 'second'], 0, 0]);
    });

    it('reloads a model whose load-time options change, and records it', async () => {
      await start();
      await chat({ options: { num_ctx: 1000 } });
      await chat({ options: { num_ctx: 1000, temperature: 1 } });
      await chat({ options: { num_ctx: 2000 } });
      await chat({ options: { num_ctx: 99_999 } });
      assert.deepEqual(double.loads, [
        { model: 'm:latest', contextLength: 1000 },
        { model: 'm:latest', contextLength: 2000 },
        { model: 'm:latest', contextLength: 8192 },
      ]);
    });

    it('picks the answer whose condition is met', async () => {
      await start();
      double.script.push({ when: (request) => request.kind === 'generate', steps: ['filled'] }, 'said');
      assert.equal(joined(linesOf(await chat())).content, 'said');
      const { text } = await rawExchange(double.url, { path: '/api/generate', body: { model: 'm', prompt: 'x' } });
      assert.match(text, /"response":"filled"/);
    });

    it('pulls a model, tells the progress, and deletes it again with an empty body', async () => {
      await start({ pullable: [{ name: 'new', digest: 'ab'.repeat(32), size: 100 }] });
      const { text } = await rawExchange(double.url, { path: '/api/pull', body: { model: 'new' } });
      const blob = `{"status":"pulling abababababab","digest":"sha256:${'ab'.repeat(32)}","total":100`;
      assert.deepEqual(text.trimEnd().split('\n'), [
        '{"status":"pulling manifest"}',
        `${blob}}`,
        `${blob},"completed":25}`,
        `${blob},"completed":50}`,
        `${blob},"completed":75}`,
        `${blob},"completed":100}`,
        '{"status":"verifying sha256 digest"}',
        '{"status":"writing manifest"}',
        '{"status":"success"}',
      ]);
      const removed = await rawExchange(double.url, { method: 'DELETE', path: '/api/delete', body: { model: 'new' } });
      assert.deepEqual([removed.status, removed.text], [200, '']);
      assert.equal((await rawExchange(double.url, { path: '/api/show', body: { model: 'new' } })).status, 404);
    });

    it('says in full that a pull found no such model', async () => {
      await start();
      const { text } = await rawExchange(double.url, { path: '/api/pull', body: { model: 'nothing' } });
      assert.equal(text, '{"status":"pulling manifest"}\n{"error":"pull model manifest: file does not exist"}\n');
      const whole = await rawExchange(double.url, { path: '/api/pull', body: { model: 'nothing', stream: false } });
      assert.deepEqual([whole.status, whole.text], [500, '{"error":"pull model manifest: file does not exist"}']);
    });

    it('asks for the token of the proxy that it plays', async () => {
      await start({ bearerToken: 'secret' });
      const get = async (headers: Record<string, string>) =>
        (await rawExchange(double.url, { path: '/api/tags', headers })).status;
      assert.deepEqual([await get({}), await get({ Authorization: 'Bearer secret' })], [401, 200]);
    });

    it('is gone in mid-answer when it is closed, and another takes its port', async () => {
      await start();
      double.script.push([hold().step]);
      const cut = assert.rejects(chat(), { code: 'ECONNRESET' });
      await double.until(() => double.requests.length === 1);
      const { port } = double;
      await double.close();
      await cut;
      await double.until(() => double.openStreams === 0);
      assert.equal(double.aborted.length, 1);
      await assert.rejects(rawExchange(`http://127.0.0.1:${port}`, { path: '/' }), { code: 'ECONNREFUSED' });
      await start({ port });
      assert.equal(joined(linesOf(await chat())).content, 'OK');
    });
  });
}
