import { WebSocket } from 'ws';

/** Client that sends requests one after the other over a WebSocket of the local API. */
export class SocketClient {
  private count = 0;

  private constructor(private readonly socket: WebSocket) {}

  static async open(url: string, headers: Record<string, string>): Promise<SocketClient> {
    const socket = new WebSocket(url, { headers });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    return new SocketClient(socket);
  }

  /** Resolves with the raw response, so that parsing is not measured. */
  async ask(type: string, params: object): Promise<string> {
    const answered = new Promise<string>((resolve) => {
      this.socket.once('message', (data: Buffer) => resolve(data.toString()));
    });
    this.socket.send(JSON.stringify({ id: (this.count += 1), type, params }));
    const answer = await answered;
    if (answer.includes('"error":{')) throw new Error(answer.slice(0, 200));
    return answer;
  }

  close(): void {
    this.socket.close();
  }
}
