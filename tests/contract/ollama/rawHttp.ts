import http from 'node:http';

export interface RawAnswer {
  status: number;
  contentType: string | undefined;
  /** Body, byte for byte. */
  text: string;
}

export interface RawRequest {
  method?: string;
  path: string;
  /** Objects are sent as JSON, strings unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface RawListeners {
  sent?: () => void;
  /** Called when the first bytes of the response arrive. */
  bytes?: () => void;
}

/**
 * Makes one exchange over `node:http`, without a timeout or interpretation.
 * Calls `on` when the request is sent and when the response begins.
 */
export function rawExchange(baseUrl: string, request: RawRequest, on: RawListeners = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = open(baseUrl, request, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      if (on.bytes) response.once('data', on.bytes);
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'],
          text: Buffer.concat(pieces).toString('utf8'),
        }),
      );
    });
    if (on.sent) sent.once('finish', on.sent);
    sent.on('error', reject);
  });
}

/** Sends a request and disconnects when the first bytes of the response arrive. */
export function leaveAfterFirstBytes(baseUrl: string, request: RawRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = open(baseUrl, request, (response) => {
      response.once('data', () => {
        sent.destroy();
        resolve();
      });
      response.on('error', () => undefined);
    });
    sent.on('error', reject);
  });
}

/** Returns the chunks in which the body arrives. */
export function rawPieces(baseUrl: string, request: RawRequest): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const sent = open(baseUrl, request, (response) => {
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => resolve(pieces));
    });
    sent.on('error', reject);
  });
}

function open(baseUrl: string, request: RawRequest, onResponse: (response: http.IncomingMessage) => void): http.ClientRequest {
  const { body } = request;
  const method = request.method ?? (body === undefined ? 'GET' : 'POST');
  const url = new URL(request.path, baseUrl);
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  // Node sends no length for DELETE by default, and the server cannot parse a body without a length.
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) };
  const sent = http.request(url, { method, headers: { ...length, ...request.headers }, agent: false }, onResponse);
  sent.end(text);
  return sent;
}
