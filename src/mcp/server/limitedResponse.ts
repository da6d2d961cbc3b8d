import { phrase } from '../../utils/l10n';
import { McpError } from '../mcpError';

/** Maximum size of a message in bytes. A larger message ends the connection. */
export const maxMessage = 32 * 1024 * 1024;

/**
 * Limits the size of a response. If the body, or one event of an event stream, exceeds `maxMessage`,
 * calls `onTooLarge` and fails with an `McpError`.
 */
export function limitedResponse(response: Response, onTooLarge: () => void = () => undefined): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  const added = isStream ? eventSizes() : sizes();
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (added(chunk) > maxMessage) {
          onTooLarge();
          throw new McpError('call', phrase('The server sent more than {0} MB in one message.', maxMessage / 1024 / 1024));
        }
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}

/** Returns a function that counts all bytes. */
function sizes(): (chunk: Uint8Array) => number {
  let size = 0;
  return (chunk) => (size += chunk.length);
}

/**
 * Returns a function that counts the bytes of the current event. An empty line ends an event. The
 * function returns the size of the largest event in each chunk.
 */
function eventSizes(): (chunk: Uint8Array) => number {
  const lineFeed = 10;
  const carriageReturn = 13;
  let size = 0;
  let isLineEmpty = true;
  let before = 0;
  return (chunk) => {
    let largest = 0;
    for (const byte of chunk) {
      size += 1;
      const isSecondHalf = byte === lineFeed && before === carriageReturn;
      if (byte === lineFeed || byte === carriageReturn) {
        if (isLineEmpty && !isSecondHalf) size = 0;
        isLineEmpty = true;
      } else isLineEmpty = false;
      before = byte;
      if (size > largest) largest = size;
    }
    return largest;
  };
}
