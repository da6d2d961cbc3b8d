import type { IncomingMessage } from 'node:http';
import { ApiError } from '../apiError';

export const maxBodyBytes = 4 * 1024 * 1024;

/** Reads a body as JSON. An empty body is `{}`. Throws `TOO_LARGE` and `INVALID`. */
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
  if (!/^application\/json\b/i.test(type)) throw new ApiError('INVALID', 'The content type of the body must be application/json');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch (error) {
    throw new ApiError('INVALID', 'The body is not valid JSON', { cause: error });
  }
}

function tooLarge(): ApiError {
  return new ApiError('TOO_LARGE', `The body is larger than ${maxBodyBytes} bytes`);
}
