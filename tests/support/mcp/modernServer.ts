import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

/**
 * An MCP server with the newest protocol (2026-07-28), without sessions
 * or a handshake. It uses stdio or, with `--http`, a port that it prints.
 */

interface Message {
  id?: number | string;
  method: string;
  params?: { name?: string; arguments?: unknown; inputResponses?: Record<string, unknown>; requestState?: string };
}

const version = '2026-07-28';
const complete = (result: object) => ({ resultType: 'complete', ...result });
const kept = { ttlMs: 0, cacheScope: 'private' };
const text = (answer: string) => complete({ content: [{ type: 'text', text: answer }] });

function answer({ method, params = {} }: Message): object {
  switch (method) {
    case 'server/discover':
      return complete({ ...kept, supportedVersions: [version], capabilities: { tools: {} } });
    case 'tools/list':
      return complete({
        ...kept,
        tools: [
          { name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } },
          { name: 'ask', description: 'Asks first', inputSchema: { type: 'object' } },
        ],
      });
    case 'tools/call': {
      if (params.name === 'echo') return text(JSON.stringify(params.arguments));
      if (params.inputResponses !== undefined) return text(JSON.stringify([params.inputResponses, params.requestState]));
      const requestedSchema = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };
      const request = { method: 'elicitation/create', params: { mode: 'form', message: 'Which colour?', requestedSchema } };
      return { resultType: 'input_required', inputRequests: { colour: request }, requestState: 'where it was' };
    }
    default:
      throw new Error('Method not found');
  }
}

function replyTo(message: Message): object | null {
  if (message.id === undefined) return null;
  try {
    return { jsonrpc: '2.0', id: message.id, result: answer(message) };
  } catch (error) {
    return { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: (error as Error).message } };
  }
}

if (process.argv.includes('--http')) {
  const token = process.env['MCP_TOKEN'];
  const server = createServer((request, response) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    if (request.url === '/moved') return void response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const reply = replyTo(JSON.parse(body) as Message);
      if (reply === null) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
} else {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const reply = replyTo(JSON.parse(line) as Message);
    if (reply !== null) process.stdout.write(`${JSON.stringify(reply)}\n`);
  });
}
