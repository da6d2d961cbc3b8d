import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { acp } from '../../../../src/serve/acp/acp';
import { png } from '../../../support/images';
import { until } from '../../../support/until';
import { serveWorkers as workers } from '../support';
import { assertFits } from './schema';
import { Workplace } from './workplace';

interface Message {
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
}

interface Recording {
  client: string;
  /** Kind of the option that the user chooses. */
  permission: string;
  /** Replies of the model, in order. */
  replies: string[];
  messages: { send: Message; expect?: object; error?: object }[];
  /** Kinds of updates that the client must receive. */
  updates: string[];
}

const folder = path.join(process.cwd(), 'tests', 'unit', 'serve', 'acp', 'recordings');

/** Client that sends recorded lines and validates each line from the agent against the protocol schema. */
class RecordedClient {
  readonly kinds = new Set<string>();
  readonly answers = new Map<unknown, Message>();
  readonly over: Promise<number>;
  private readonly methods = new Map<unknown, string>();
  private readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  private failure: Error | null = null;
  private rest = '';

  constructor(
    args: readonly string[],
    private readonly permission: string,
  ) {
    const input = new TransformStream<Uint8Array, Uint8Array>();
    const decoder = new TextDecoder();
    const output = new WritableStream<Uint8Array>({ write: (chunk) => this.read(decoder.decode(chunk, { stream: true })) });
    this.writer = input.writable.getWriter();
    const around = { environment: {}, signal: new AbortController().signal, write: () => undefined, note: () => undefined };
    this.over = acp(args, { ...around, workers, version: '1.0.0' }, () => ndJsonStream(output, input.readable));
  }

  /** Sends a message. If it is a request, resolves to its response. */
  async send(message: Message): Promise<Message | undefined> {
    const { id, method = '' } = message;
    if (id !== undefined) this.methods.set(id, method);
    await this.line(message);
    if (id === undefined) return undefined;
    await until(() => this.answers.has(id) || this.failure !== null);
    this.rethrow();
    return this.answers.get(id);
  }

  rethrow(): void {
    if (this.failure !== null) throw this.failure;
  }

  async leave(): Promise<number> {
    await this.writer.close().catch(() => undefined);
    return this.over;
  }

  private line(message: object): Promise<void> {
    return this.writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  private read(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        this.take(JSON.parse(line) as Message);
      } catch (error) {
        this.failure ??= error instanceof Error ? error : new Error(String(error));
      }
    }
  }

  private take(message: Message): void {
    const { id, method, params = {} } = message;
    if (method === undefined) {
      const asked = this.methods.get(id) ?? '';
      if (message.error === undefined) assertFits('Response', asked, message.result);
      this.answers.set(id, message);
      return;
    }
    assertFits(id === undefined ? 'Notification' : 'Request', method, params);
    if (method === 'session/update') this.kinds.add((params['update'] as { sessionUpdate: string }).sessionUpdate);
    // The agent requests nothing else, because it reads files and runs commands itself.
    else assert.equal(method, 'session/request_permission');
    if (id === undefined) return;
    const options = params['options'] as { optionId: string; kind: string }[];
    const optionId = options.find(({ kind }) => kind === this.permission)?.optionId ?? '';
    void this.line({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId } } });
  }
}

describe('what clients of the Agent Client Protocol send', () => {
  let work: Workplace;

  beforeEach(async () => {
    work = await Workplace.open([{ name: 'worker', capabilities: ['completion', 'tools', 'vision'], contextLength: 32_768 }]);
    await work.editor.leave();
  });

  afterEach(() => work.close());

  for (const name of readdirSync(folder)) {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const { client: title } = JSON.parse(text) as Recording;

    it(`is answered as the schema says, for ${title}`, async () => {
      const filled = (session: string): Recording => {
        const values = {
          $CWD_URI: pathToFileURL(work.folder).href,
          $CWD: work.folder,
          $SESSION: session,
          $PNG: png(2, 2).toString('base64'),
        };
        return JSON.parse(
          Object.entries(values).reduce((all, [key, value]) => all.replaceAll(key, JSON.stringify(value).slice(1, -1)), text),
        ) as Recording;
      };
      const { messages, permission, replies, updates } = filled('');
      work.double.script.push(...replies);
      const client = new RecordedClient(work.args, permission);
      let session = '';
      for (const index of messages.keys()) {
        const { send, expect, error } = filled(session).messages[index] ?? assert.fail();
        const answer = await client.send(send);
        if (error !== undefined) assert.partialDeepStrictEqual(answer?.error, error);
        else if (expect !== undefined) assert.partialDeepStrictEqual(answer?.result, expect, JSON.stringify(answer));
        const { sessionId } = (answer?.result ?? {}) as { sessionId?: string };
        session = sessionId ?? session;
      }
      assert.deepEqual(
        updates.filter((kind) => !client.kinds.has(kind)),
        [],
      );
      assert.equal(await client.leave(), 0);
      client.rethrow();
    });
  }
});
