import type { IncomingMessage } from 'node:http';
import { ApiError } from '../apiError';

/** Largest body of a request. */
export const maxBodyBytes = 4 * 1024 * 1024;

/** Reads a body as JSON; an empty one is `{}`. Throws `TOO_LARGE` and `INVALID`. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  if (length === 0) return {};
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/i.test(type)) throw new ApiError('INVALID', 'The body has to be application/json');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch (error) {
    throw new ApiError('INVALID', 'The body is no JSON', { cause: error });
  }
}

function tooLarge(): ApiError {
  return new ApiError('TOO_LARGE', `A body has at most ${maxBodyBytes} bytes`);
}
