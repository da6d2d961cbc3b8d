import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '../../../src/cli/apiClient';

describe('the client of the local API', () => {
  let server: Server;
  let answers: Buffer[];
  let client: ApiClient;
  beforeEach(async () => {
    answers = [];
    server = createServer((_request, response) => void response.end(answers.shift()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new ApiClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' });
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('reads whole events again after the connection was lost in the middle of a character', async () => {
    const event = (id: number, text: string) => Buffer.from(`id: ${id}\nevent: chat\ndata: ${JSON.stringify({ text })}\n\n`);
    const cut = event(2, 'ü');
    answers = [Buffer.concat([event(1, 'one'), cut.subarray(0, cut.indexOf(0xc3) + 1)]), cut];
    const stop = new AbortController();
    const seen: unknown[] = [];
    for await (const { id, data } of await client.events('d', '0', stop.signal)) {
      seen.push([id, data['text']]);
      if (seen.length === 2) break;
    }
    assert.deepEqual(seen, [
      ['1', 'one'],
      ['2', 'ü'],
    ]);
  });

  it('reads a document piece by piece, with its characters whole', async () => {
    answers = [Buffer.from('Grüße')];
    let text = '';
    for await (const piece of await client.text('/')) text += piece;
    assert.equal(text, 'Grüße');
  });
});
