import { request } from 'node:http';

/** Client that knows only the address, the access token and its own client key, like a third-party program. */
export class PlainClient {
  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string>,
  ) {}

  async call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await this.send(method, path, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  send(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = { ...this.headers, ...(text !== '' && { 'Content-Type': 'application/json' }) };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}${path}`, { method, headers }, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: answer }));
      });
      sent.on('error', reject).end(text);
    });
  }

  /** Sends a message and follows its run to the end. Approves everything. Resolves to the events. */
  run(dialog: string, content: string): Promise<Record<string, unknown>[]> {
    return new Promise((resolve, reject) => {
      const events: Record<string, unknown>[] = [];
      const stream = request(`${this.url}/api/dialogs/${dialog}/events`, { headers: this.headers }, (response) => {
        let rest = '';
        this.call('POST', `/api/dialogs/${dialog}/messages`, { content, mode: 'agent' }).catch(reject);
        response.setEncoding('utf8').on('data', (piece: string) => {
          const blocks = (rest + piece).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            const data = /^data: (.*)$/m.exec(block)?.[1];
            if (data === undefined) continue;
            const event = JSON.parse(data) as Record<string, unknown>;
            events.push(event);
            if (event.type === 'approval' && event.phase === 'requested')
              this.call('POST', `/api/dialogs/${dialog}/approvals/${String(event.approval)}`, { approve: true }).catch(reject);
            if (event.type === 'done') {
              stream.destroy();
              resolve(events);
            }
          }
        });
      });
      stream.on('error', (error) => (events.at(-1)?.type === 'done' ? undefined : reject(error))).end();
    });
  }
}
