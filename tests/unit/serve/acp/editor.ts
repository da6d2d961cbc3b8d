import {
  client,
  ndJsonStream,
  type ClientConnection,
  type ContentBlock,
  type McpServer,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { acp } from '../../../../src/serve/acp/acp';
import { serveWorkers as workers } from '../support';

/** Fake editor that uses the official client of the protocol. */
export class EditorDouble {
  readonly notified: SessionNotification[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Returns the option that the user chooses, or null if the question is cancelled. */
  choose: (asked: RequestPermissionRequest) => string | null | Promise<string | null> = () => 'once';
  noted = '';
  readonly connection: ClientConnection;
  readonly over: Promise<number>;
  /** Closes the agent's input. */
  readonly hangUp: () => void;
  private readonly stop = new AbortController();

  constructor(args: readonly string[]) {
    const there = new TransformStream<Uint8Array, Uint8Array>();
    const back = new TransformStream<Uint8Array, Uint8Array>();
    const around = { environment: {}, signal: this.stop.signal, write: () => undefined, workers, version: '1.0.0' };
    this.over = acp(args, { ...around, note: (text) => void (this.noted += text) }, () =>
      ndJsonStream(back.writable, there.readable),
    );
    const writer = there.writable.getWriter();
    this.hangUp = () => void writer.close().catch(() => undefined);
    const output = new WritableStream<Uint8Array>({ write: (chunk) => writer.write(chunk) });
    this.connection = client({ name: 'editor' })
      .onNotification('session/update', ({ params }) => void this.notified.push(params))
      .onRequest('session/request_permission', async ({ params }) => {
        this.asked.push(params);
        const optionId = await this.choose(params);
        return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
      })
      .connect(ndJsonStream(output, back.readable));
  }

  get updates(): SessionUpdate[] {
    return this.notified.map(({ update }) => update);
  }

  request<T>(method: string, params: object): Promise<T> {
    return this.connection.agent.request<T>(method, params);
  }

  async begin(cwd: string, mcpServers: McpServer[] = []): Promise<string> {
    await this.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    return (await this.request<NewSessionResponse>('session/new', { cwd, mcpServers })).sessionId;
  }

  prompt(sessionId: string, text: string, more: ContentBlock[] = []): Promise<PromptResponse> {
    return this.request('session/prompt', { sessionId, prompt: [...(text === '' ? [] : [{ type: 'text', text }]), ...more] });
  }

  textOf(kind: SessionUpdate['sessionUpdate']): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === kind && 'content' in update && update.content && 'text' in update.content
          ? update.content.text
          : '',
      )
      .join('');
  }

  async leave(): Promise<number> {
    this.stop.abort();
    this.connection.close();
    return this.over;
  }
}
