import assert from 'node:assert/strict';
import type { RetryEvent } from '../../../src/services/model/client/ollamaClient';
import {
  AuthError,
  ConnectionError,
  ModelNotFoundError,
  OllamaError,
  ServerBusyError,
} from '../../../src/services/model/client/ollamaErrors';
import type { ChatRequest, OllamaOptions } from '../../../src/types/ollama';
import { CancelledError } from '../../../src/utils/errors';
import { chatRequest, chunk, collect, lastChunk, makeClient, rejection } from './support/client';
import { Gate } from './support/gate';
import { sendJson, sendLines, startHttpServer, unusedPort, type Handler, type HttpServer } from './support/httpServer';

describe('OllamaClient', () => {
  const servers: HttpServer[] = [];
  const start = async (handler: Handler) => {
    const server = await startHttpServer(handler);
    servers.push(server);
    return { server, ...makeClient(server.url) };
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  describe('requests', () => {
    it('lists the models with every field that came', async () => {
      const models = [
        { name: 'a:latest', model: 'a:latest', size: 7, digest: 'd1', details: { family: 'llama' }, added_later: [1] },
      ];
      const { client, server } = await start((response) => sendJson(response, 200, { models }));
      assert.deepEqual(await client.listModels(), models);
      assert.deepEqual([server.requests[0]?.method, server.requests[0]?.path], ['GET', '/api/tags']);
    });

    it('takes a null list for an empty one', async () => {
      const { client } = await start((response) => sendJson(response, 200, { models: null }));
      assert.deepEqual([await client.listModels(), await client.getRunningModels()], [[], []]);
    });

    it('shows a model', async () => {
      const shown = { model_info: { 'llama.context_length': 8192 }, capabilities: ['completion'], parameters: 'x' };
      const { client, server } = await start((response) => sendJson(response, 200, shown));
      assert.deepEqual(await client.showModel('m'), shown);
      assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), { model: 'm' });
      assert.equal(server.requests[0]?.headers['content-type'], 'application/json');
    });

    it('lists the running models', async () => {
      const models = [
        { name: 'a', model: 'a', size: 1, digest: 'd', expires_at: '2319-01-01T00:00:00Z', size_vram: 0, context_length: 4096 },
      ];
      const { client, server } = await start((response) => sendJson(response, 200, { models }));
      assert.deepEqual(await client.getRunningModels(), models);
      assert.equal(server.requests[0]?.path, '/api/ps');
    });

    it('sends every option that a request may have', async () => {
      const options: Required<OllamaOptions> = {
        num_ctx: 4096,
        num_predict: 1,
        num_keep: 2,
        num_batch: 3,
        num_gpu: 4,
        num_thread: 5,
        main_gpu: 6,
        seed: 7,
        temperature: 0.1,
        top_k: 8,
        top_p: 0.2,
        min_p: 0.3,
        typical_p: 0.4,
        tfs_z: 0.5,
        mirostat: 2,
        mirostat_tau: 5.5,
        mirostat_eta: 0.6,
        stop: ['end'],
        repeat_last_n: 9,
        repeat_penalty: 1.1,
        presence_penalty: 0.7,
        frequency_penalty: 0.8,
      };
      const { client, server } = await start((response) => sendLines(response, [lastChunk]));
      await collect(client.chat({ ...chatRequest, options }));
      assert.deepEqual((JSON.parse(server.requests[0]?.body ?? '') as ChatRequest).options, options);
    });

    it('embeds texts in their order, with dimensions only when asked for', async () => {
      const answer = {
        model: 'e',
        embeddings: [
          [1, 0],
          [0, 1],
        ],
        total_duration: 5,
        prompt_eval_count: 2,
      };
      const { client, server } = await start((response) => sendJson(response, 200, answer));
      assert.deepEqual(await client.embed('e', ['a', 'b']), answer);
      await client.embed('e', ['a'], { dimensions: 2 });
      assert.deepEqual(
        server.requests.map((request) => JSON.parse(request.body) as unknown),
        [
          { model: 'e', input: ['a', 'b'] },
          { model: 'e', input: ['a'], dimensions: 2 },
        ],
      );
    });

    it('takes vectors that are no numbers for an answer that is not Ollama’s', async () => {
      const { client } = await start((response) => sendJson(response, 200, { embeddings: [['a']] }));
      const error = await rejection(client.embed('e', ['a']));
      assert.ok(error instanceof OllamaError);
      assert.match(error.userMessage, /is not an Ollama server/);
    });

    it('deletes a model, which the server answers with an empty body', async () => {
      const { client, server } = await start((response) => void response.writeHead(200).end());
      await client.deleteModel('m');
      assert.deepEqual(
        [server.requests[0]?.method, server.requests[0]?.path, server.requests[0]?.body],
        ['DELETE', '/api/delete', '{"model":"m"}'],
      );
    });

    it('reports a model that is not there by its name', async () => {
      const { client } = await start((response) => sendJson(response, 404, { error: "model 'm:latest' not found" }));
      const error = await rejection(client.showModel('m'));
      assert.ok(error instanceof ModelNotFoundError);
      assert.equal(error.model, 'm');
      assert.match(error.userMessage, /“m” is not installed/);
    });

    it('waits for headers that come late', async () => {
      const arrived = new Gate();
      const answer = new Gate();
      const { client } = await start(async (response) => {
        arrived.open();
        await answer.opened;
        sendLines(response, [lastChunk]);
      });
      const reading = collect(client.chat(chatRequest));
      await arrived.opened;
      answer.open();
      assert.deepEqual(await reading, [lastChunk]);
    });
  });

  describe('load', () => {
    const request = { model: 'm', options: { num_ctx: 2048 }, keep_alive: '30m' };
    const loaded = { ...chunk('', { done: true, done_reason: 'load' }) };

    it('sends an empty chat with the load-time options of a chat', async () => {
      const { client, server } = await start((response) => sendJson(response, 200, loaded));
      await client.load(request);
      assert.equal(server.requests[0]?.path, '/api/chat');
      assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), {
        ...request,
        messages: [],
        stream: false,
        truncate: false,
        shift: false,
      });
    });

    it('stops waiting when cancelled, and lets the server go on loading', async () => {
      const arrived = new Gate();
      const answer = new Gate();
      const { client, server } = await start(async (response) => {
        arrived.open();
        await answer.opened;
        sendJson(response, 200, loaded);
      });
      const abort = new AbortController();
      const work = rejection(client.load(request, { signal: abort.signal }));
      await arrived.opened;
      abort.abort();
      assert.ok((await work) instanceof CancelledError);
      answer.open();
      assert.equal(await server.requests[0]?.ended, true);
    });

    it('is not retried after it was cancelled', async () => {
      const arrived = new Gate();
      const answer = new Gate();
      const { client, clock, server } = await start(async (response) => {
        arrived.open();
        await answer.opened;
        sendJson(response, 500, { error: 'out of memory' });
      });
      const abort = new AbortController();
      const work = rejection(client.load(request, { signal: abort.signal }));
      await arrived.opened;
      abort.abort();
      await work;
      answer.open();
      await server.requests[0]?.ended;
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual([server.requests.length, clock.sleeps.length], [1, 0]);
    });
  });

  describe('retries', () => {
    it('ask a busy server again and announce it', async () => {
      let answers = 0;
      const { client, clock, server } = await start((response) => {
        answers += 1;
        if (answers < 3) sendJson(response, 503, { error: 'server busy, please try again.  maximum pending requests exceeded' });
        else sendLines(response, [chunk('Hi'), lastChunk]);
      });
      const notices: RetryEvent[] = [];
      const read = await collect(client.chat(chatRequest, { onRetry: (notice) => void notices.push(notice) }));
      assert.deepEqual(read, [chunk('Hi'), lastChunk]);
      assert.deepEqual(clock.sleeps, [1000, 2000]);
      assert.ok(notices.every((notice) => notice.error instanceof ServerBusyError));
      assert.deepEqual(new Set(server.requests.map((request) => request.body)).size, 1);
    });

    it('find a server that was started meanwhile', async () => {
      const port = await unusedPort();
      const { client, clock } = makeClient(`http://127.0.0.1:${port}`);
      clock.onSleep = async () => {
        if (clock.sleeps.length === 2)
          servers.push(await startHttpServer((response) => sendJson(response, 200, { version: '1' }), '127.0.0.1', port));
      };
      assert.equal(await client.version(), '1');
      assert.deepEqual(clock.sleeps, [1000, 2000]);
    });

    it('follow a connection that ended before the first byte of the answer', async () => {
      let answers = 0;
      const { client, clock } = await start((response) => {
        answers += 1;
        if (answers === 1) response.destroy();
        else if (answers === 2) {
          response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders();
          setImmediate(() => response.destroy());
        } else sendLines(response, [lastChunk]);
      });
      assert.deepEqual(await collect(client.chat(chatRequest)), [lastChunk]);
      assert.deepEqual(clock.sleeps, [1000, 2000]);
    });

    it('do not follow a 401', async () => {
      const { client, clock, server } = await start((response) => sendJson(response, 401, { error: 'unauthorized' }));
      assert.ok((await rejection(client.chat(chatRequest))) instanceof AuthError);
      assert.deepEqual([server.requests.length, clock.sleeps], [1, []]);
    });

    it('end in a ConnectionError when nothing ever answers', async () => {
      const { client, clock } = makeClient(`http://127.0.0.1:${await unusedPort()}`);
      assert.ok((await rejection(client.chat(chatRequest))) instanceof ConnectionError);
      assert.deepEqual(clock.sleeps, [1000, 2000, 4000]);
    });

    it('are cancelled while waiting', async () => {
      const { client, clock } = makeClient(`http://127.0.0.1:${await unusedPort()}`);
      const abort = new AbortController();
      clock.onSleep = () => abort.abort();
      assert.ok((await rejection(client.chat(chatRequest, { signal: abort.signal }))) instanceof CancelledError);
      assert.deepEqual(clock.sleeps, [1000]);
    });
  });

  describe('testConnection', () => {
    it('tells the version of a server that answers', async () => {
      const { client } = await start((response) => sendJson(response, 200, { version: '0.33.0' }));
      assert.deepEqual(await client.testConnection(), { ok: true, version: '0.33.0' });
    });

    it('tells at once, without retries, why a server does not answer', async () => {
      const { client, clock } = makeClient(`http://127.0.0.1:${await unusedPort()}`);
      const tested = await client.testConnection();
      assert.ok(!tested.ok && tested.error instanceof ConnectionError);
      assert.deepEqual(clock.sleeps, []);
    });

    it('tells that the token is missing', async () => {
      const { client } = await start((response) => void response.writeHead(401).end());
      const tested = await client.testConnection();
      assert.ok(!tested.ok && tested.error instanceof AuthError);
    });

    it('rejects when cancelled', async () => {
      const { client } = await start(() => undefined);
      assert.ok((await rejection(client.testConnection({ signal: AbortSignal.abort() }))) instanceof CancelledError);
    });
  });

  describe('dispose', () => {
    it('closes every socket: of an unanswered request, a stream and a load', async () => {
      const asked = new Gate();
      const read = new Gate();
      const loading = new Gate();
      const { client, server } = await start((response, request) => {
        if (request.path === '/api/version') asked.open();
        else if (request.body.includes('"stream":false')) loading.open();
        else response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(`${JSON.stringify(chunk('a'))}\n`);
      });
      const reading = async () => {
        for await (const part of client.chat(chatRequest)) if (part.message.content === 'a') read.open();
      };
      const load = () => client.load({ model: 'm', options: { num_ctx: 4 }, keep_alive: 0 });
      const errors = [rejection(client.version()), rejection(reading()), rejection(load())];
      await Promise.all([asked.opened, read.opened, loading.opened]);
      client.dispose();
      for (const error of await Promise.all(errors)) assert.ok(error instanceof CancelledError);
      assert.deepEqual(await Promise.all(server.requests.map((request) => request.ended)), [false, false, false]);
    });

    it('makes later calls reject without a request', async () => {
      const { client, server } = await start((response) => sendJson(response, 200, { version: '1' }));
      client.dispose();
      const later = [client.version(), client.chat(chatRequest), client.listModels(), client.testConnection(), client.pull('m')];
      for (const error of await Promise.all(later.map((call) => rejection(call)))) assert.ok(error instanceof CancelledError);
      assert.equal(server.requests.length, 0);
    });
  });
});
