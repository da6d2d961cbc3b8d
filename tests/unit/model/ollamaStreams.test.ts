import assert from 'node:assert/strict';
import type http from 'node:http';
import {
  ContextOverflowError,
  ModelNotFoundError,
  StreamError,
  UnreadableCallError,
} from '../../../src/services/model/client/ollamaErrors';
import { CancelledError } from '../../../src/utils/errors';
import { chatRequest, chunk, collect, lastChunk, makeClient, rejection } from './support/client';
import { Gate } from './support/gate';
import { sendJson, sendLines, startHttpServer, type Handler, type HttpServer } from './support/httpServer';

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const beginStream = (response: http.ServerResponse) => response.writeHead(200, { 'content-type': 'application/x-ndjson' });

describe('Streams', () => {
  let server: HttpServer;
  const start = async (handler: Handler) => {
    server = await startHttpServer(handler);
    return makeClient(server.url);
  };
  afterEach(() => server.close());

  const expectStreamError = (error: unknown, reason: StreamError['reason']) => {
    assert.ok(error instanceof StreamError, String(error));
    assert.equal(error.reason, reason);
  };

  it('send the request as it is, streaming, and yield every chunk with its unknown fields', async () => {
    const chunks = [
      chunk('', { message: { role: 'assistant', content: '', thinking: 'Hm' }, logprobs: [{ token: 'a' }] }),
      chunk('Hi 👋'),
      lastChunk,
    ];
    const { client } = await start((response) => sendLines(response, chunks));
    assert.deepEqual(await collect(client.chat(chatRequest)), chunks);
    assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), { ...chatRequest, stream: true });
  });

  it('are the same one byte at a time', async () => {
    const chunks = [chunk('Grüße 👋'), lastChunk];
    const { client } = await start(async (response) => {
      beginStream(response);
      for (const byte of Buffer.from(chunks.map(line).join(''))) {
        await new Promise<void>((resolve) => response.write(Buffer.of(byte), () => resolve()));
      }
      response.end();
    });
    assert.deepEqual(await collect(client.chat(chatRequest)), chunks);
  });

  it('yield tool calls in their own chunk, in the last one, and a final chunk with content', async () => {
    const call = { id: 'call_ab12cd34', function: { index: 0, name: 'f', arguments: { a: 1 } } };
    const chunks = [
      chunk('', { message: { role: 'assistant', content: '', tool_calls: [call] } }),
      chunk('', { message: { role: 'assistant', content: 'end', tool_calls: [call] }, done: true, done_reason: 'stop' }),
    ];
    const { client } = await start((response) => sendLines(response, chunks));
    assert.deepEqual(await collect(client.chat(chatRequest)), chunks);
  });

  it('take the one JSON object without a newline that answers a load', async () => {
    const loaded = chunk('', { done: true, done_reason: 'load' });
    const { client } = await start((response) => sendJson(response, 200, loaded));
    assert.deepEqual(await collect(client.chat({ ...chatRequest, messages: [] })), [loaded]);
  });

  it('of generate carry the response', async () => {
    const chunks = [
      { model: 'm', created_at: 'x', response: 'a', done: false },
      { model: 'm', created_at: 'x', response: '', done: true, context: [1, 2] },
    ];
    const { client } = await start((response) => sendLines(response, chunks));
    const { model, options, keep_alive, truncate, shift } = chatRequest;
    const request = { model, prompt: 'x', options, keep_alive, truncate, shift };
    assert.deepEqual(await collect(client.generate(request)), chunks);
    assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), { ...request, stream: true });
    assert.equal(server.requests[0]?.path, '/api/generate');
  });

  it('of pull end with success', async () => {
    const progress = [
      { status: 'pulling manifest' },
      { status: 'pulling 0123', digest: 'd', total: 9, completed: 3 },
      { status: 'success' },
    ];
    const { client } = await start((response) => sendLines(response, progress));
    assert.deepEqual(await collect(client.pull('m')), progress);
    assert.deepEqual(JSON.parse(server.requests[0]?.body ?? ''), { model: 'm', stream: true });
  });

  it('of pull that end without success are incomplete', async () => {
    const { client } = await start((response) => sendLines(response, [{ status: 'pulling manifest' }]));
    expectStreamError(await rejection(client.pull('m')), 'incomplete');
  });

  it('of pull report a model that does not exist', async () => {
    const { client, clock } = await start((response) =>
      sendLines(response, [{ status: 'pulling manifest' }, { error: 'pull model manifest: file does not exist' }]),
    );
    assert.ok((await rejection(client.pull('nosuch'))) instanceof ModelNotFoundError);
    assert.deepEqual(clock.sleeps, []);
  });

  it('that end with neither done nor error are incomplete, after all their chunks', async () => {
    const { client, clock } = await start((response) => sendLines(response, [chunk('1'), chunk('1')]));
    const read: string[] = [];
    const error = await rejection(
      (async () => {
        for await (const part of client.chat(chatRequest)) read.push(part.message.content);
      })(),
    );
    expectStreamError(error, 'incomplete');
    assert.deepEqual(read, ['1', '1']);
    assert.deepEqual(clock.sleeps, []);
  });

  it('that are empty are incomplete', async () => {
    const { client } = await start((response) => void beginStream(response).end());
    expectStreamError(await rejection(client.chat(chatRequest)), 'incomplete');
  });

  it('end in the error of an error line, first or later, without a retry', async () => {
    const failure = { error: 'an error was encountered while running the model' };
    for (const lines of [[failure], [chunk('a'), failure]]) {
      const { client, clock } = await start((response) => sendLines(response, lines));
      expectStreamError(await rejection(client.chat(chatRequest)), 'server');
      assert.deepEqual([server.requests.length, clock.sleeps], [1, []]);
      await server.close();
    }
  });

  it('end in the specific error that an error line tells', async () => {
    const { client } = await start((response) =>
      sendLines(response, [chunk('a'), { error: 'the input length exceeds the context length' }]),
    );
    assert.ok((await rejection(client.chat(chatRequest))) instanceof ContextOverflowError);
  });

  it('that break in the middle are disconnected, and never asked for again', async () => {
    const read = new Gate();
    const { client, clock } = await start(async (response) => {
      beginStream(response).write(line(chunk('a')));
      await read.opened;
      response.destroy();
    });
    const error = await rejection(
      (async () => {
        for await (const part of client.chat(chatRequest)) if (part.message.content === 'a') read.open();
      })(),
    );
    expectStreamError(error, 'disconnected');
    assert.deepEqual([server.requests.length, clock.sleeps], [1, []]);
  });

  it('that break inside the first line are disconnected as well', async () => {
    const { client, clock } = await start((response) => {
      beginStream(response).write('{"model":', () => response.destroy());
    });
    expectStreamError(await rejection(client.chat(chatRequest)), 'disconnected');
    assert.deepEqual(clock.sleeps, []);
  });

  const chatOf = async (...lines: unknown[]) => {
    const { client } = await start((response) => sendLines(response, lines));
    return collect(client.chat({ ...chatRequest, tools: [tool] }));
  };
  const withMessage = (message: unknown, rest: Record<string, unknown> = {}) => chunk('', { message, ...rest });
  const tool = { type: 'function', function: { name: 'f', description: '', parameters: {} } } as const;

  const converted: [title: string, sent: Record<string, unknown>, message: Record<string, unknown>][] = [
    ['no message in the last line', { done: true }, { role: 'assistant', content: '' }],
    ['content that is null', withMessage({ content: null }, { done: true }), { content: '' }],
    ['content that is a number', withMessage({ content: 7 }, { done: true }), { content: '7' }],
    [
      'content in parts',
      withMessage(
        {
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { done: true },
      ),
      { content: 'ab' },
    ],
    ['thinking that is null', withMessage({ content: 'a', thinking: null }, { done: true }), { content: 'a', thinking: '' }],
    ['tool calls that are null', withMessage({ content: 'a', tool_calls: null }, { done: true }), { content: 'a' }],
    ['done in quotes', withMessage({ content: 'a' }, { done: 'true' }), { content: 'a' }],
    ['an error that is null', withMessage({ content: 'a' }, { done: true, error: null }), { content: 'a' }],
  ];
  for (const [title, sent, message] of converted)
    it(`are read with ${title}`, async () => {
      const [read, ...others] = await chatOf(sent, chunk('after the end'));
      assert.deepEqual([read?.message, read?.done, others], [message, true, []]);
    });

  const calls: [title: string, sent: unknown, read: unknown[]][] = [
    ['an object in place of the list', { function: { name: 'f', arguments: {} } }, [{ function: { name: 'f', arguments: {} } }]],
    ['the arguments as text', [{ function: { name: 'f', arguments: '{}' } }], [{ function: { name: 'f', arguments: '{}' } }]],
    ['no arguments', [{ function: { name: ' f ' } }], [{ function: { name: 'f', arguments: '{}' } }]],
    ['no function', [{ id: 7, name: 'f', arguments: { a: 1 } }], [{ id: '7', function: { name: 'f', arguments: { a: 1 } } }]],
    ['no name', [{ function: { arguments: {} } }], [{ function: { name: '', arguments: '{"function":{"arguments":{}}}' } }]],
    ['null for a call', [null], [{ function: { name: '', arguments: 'null' } }]],
    ['text for a call', ['f()'], [{ function: { name: '', arguments: 'f()' } }]],
  ];
  for (const [title, sent, read] of calls)
    it(`have a call with ${title}`, async () => {
      const [first] = await chatOf(withMessage({ content: '', tool_calls: sent }, { done: true }));
      assert.deepEqual(first?.message.tool_calls, read);
    });

  it('leave out what the last line says in another type', async () => {
    const [read] = await chatOf(chunk('', { done: true, done_reason: 5, eval_count: '12', prompt_eval_count: 3 }));
    assert.deepEqual([read?.done_reason, read?.eval_count, read?.prompt_eval_count], [undefined, undefined, 3]);
  });

  it('end only at a last line, whatever type its mark has', async () => {
    const read = await chatOf(chunk('a', { done: 'false' }), chunk('b', { done: 0 }), chunk('c', { done: null }), lastChunk);
    assert.equal(read.map(({ message }) => message.content).join(''), 'abc');
  });

  const unknown: [title: string, line: unknown][] = [
    ['an object with an unknown key', { 'error parsing tool call': "invalid character 'I' looking for beginning of value" }],
    ['a state', { status: 'loading model' }],
    ['a message that is text', { message: 'Please wait' }],
    ['null', null],
  ];
  for (const [title, line] of unknown)
    it(`pass over ${title}, and take the good line behind it`, async () => {
      const read = await chatOf(chunk('a'), line, chunk('b'), lastChunk);
      assert.deepEqual(
        read.map(({ message }) => message.content),
        ['a', 'b', ''],
      );
    });

  const words: [title: string, lines: string, said: RegExp][] = [
    ['the message of a gateway', '{"message":"upstream request timeout"}\n', /“upstream request timeout”/],
    ['the detail of a framework', '{"detail":"Worker died"}\n', /“Worker died”/],
    ['an unknown key', '{"failure":"no GPU"}\n', /“failure: no GPU”/],
    [
      'the page of a proxy',
      '<html>\n<head><title>504</title></head>\n<h1>Gateway Time-out</h1>\n</html>\n',
      /“504 Gateway Time-out”/,
    ],
    ['plain text', 'upstream connect error', /“upstream connect error”/],
    ['an error that is an object', '{"error":{"message":"slot is gone"}}\n', /“slot is gone”/],
    ['an error of another form', '{"error":["a",1]}\n', /“\["a",1\]”/],
  ];
  for (const [title, lines, said] of words)
    it(`that end with ${title} show these words`, async () => {
      const { client } = await start((response) => void beginStream(response).end(line(chunk('a')) + lines));
      const error = await rejection(client.chat(chatRequest));
      expectStreamError(error, 'server');
      assert.match((error as StreamError).userMessage, said);
    });

  it('that end with the words of a parser under an unknown key have a call that the server could not read', async () => {
    const error = await rejection(chatOf(chunk('a'), { 'error parsing tool call': "invalid character 'I'" }));
    assert.ok(error instanceof UnreadableCallError);
    assert.equal(error.problem, "error parsing tool call: invalid character 'I'");
  });

  it('that end early after a comment are incomplete', async () => {
    const { client } = await start((response) => void beginStream(response).end(`: ping\n${line(chunk('a'))}`));
    expectStreamError(await rejection(client.chat(chatRequest)), 'incomplete');
  });

  it('give a message without content an empty one, and a call without arguments none', async () => {
    const sent = chunk('', {
      message: { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: null } }] },
      done: true,
    });
    const { client } = await start((response) => sendLines(response, [sent]));
    const [read] = await collect(client.chat(chatRequest));
    assert.deepEqual(read?.message, {
      role: 'assistant',
      content: '',
      tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
    });
  });

  it('close the socket when the reader leaves', async () => {
    const { client } = await start((response) => void beginStream(response).write(line(chunk('a'))));
    for await (const part of client.chat(chatRequest)) {
      assert.equal(part.message.content, 'a');
      break;
    }
    assert.equal(await server.requests[0]?.ended, false);
  });

  it('close the socket when no line is part of an answer', async () => {
    const { client } = await start((response) => void beginStream(response).write('oops\n'.repeat(1001)));
    expectStreamError(await rejection(client.chat(chatRequest)), 'malformed');
    assert.equal(await server.requests[0]?.ended, false);
  });

  it('are cancelled before their headers, and the server sees it', async () => {
    const arrived = new Gate();
    const { client, clock } = await start(() => arrived.open());
    const abort = new AbortController();
    const work = rejection(client.chat(chatRequest, { signal: abort.signal }));
    await arrived.opened;
    abort.abort();
    assert.ok((await work) instanceof CancelledError);
    assert.equal(await server.requests[0]?.ended, false);
    assert.deepEqual(clock.sleeps, []);
  });

  it('are cancelled between two chunks, and the server sees it', async () => {
    const { client } = await start((response) => void beginStream(response).write(line(chunk('a'))));
    const abort = new AbortController();
    const error = await rejection(
      (async () => {
        for await (const part of client.chat(chatRequest, { signal: abort.signal })) {
          assert.equal(part.message.content, 'a');
          setImmediate(() => abort.abort());
        }
      })(),
    );
    assert.ok(error instanceof CancelledError);
    assert.equal(await server.requests[0]?.ended, false);
  });

  it('hand out nothing more once cancelled, whatever had arrived', async () => {
    const { client } = await start((response) => sendLines(response, [chunk('a'), chunk('b'), lastChunk]));
    const abort = new AbortController();
    const read: string[] = [];
    const error = await rejection(
      (async () => {
        for await (const part of client.chat(chatRequest, { signal: abort.signal })) {
          read.push(part.message.content);
          abort.abort();
        }
      })(),
    );
    assert.ok(error instanceof CancelledError);
    assert.deepEqual(read, ['a']);
  });

  it('end with their last chunk, and let the server finish by itself', async () => {
    const ended = new Gate();
    const { client } = await start(async (response, request) => {
      if (request.path === '/api/version') {
        sendJson(response, 200, { version: '1' });
        return;
      }
      beginStream(response).write(line(lastChunk));
      await ended.opened;
      // This response is larger than the buffers of an unread connection.
      response.end('\n'.repeat(32_000_000));
    });
    assert.deepEqual(await collect(client.chat(chatRequest)), [lastChunk]);
    // If the stream's socket were closed, the server would notice it before this response.
    await client.version();
    ended.open();
    assert.equal(await server.requests[0]?.ended, true);
  });
});
