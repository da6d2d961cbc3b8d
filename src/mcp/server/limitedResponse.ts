import { phrase } from '../../utils/l10n';
import { McpError } from '../mcpError';

/** Maximum bytes of a message. A larger message ends the server. */
export const maxMessage = 32 * 1024 * 1024;

/**
 * Limits a response. Its body fails with an `McpError`, after `onTooLarge`, if the body, or one event
 * of an event stream, exceeds `maxMessage`.
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

/** Returns a counter of all bytes. */
function sizes(): (chunk: Uint8Array) => number {
  let size = 0;
  return (chunk) => (size += chunk.length);
}

/** Returns a counter of the bytes of the current event, which ends with an empty line. For a chunk it returns the largest event. */
function eventSizes(): (chunk: Uint8Array) => number {
  const [lineFeed, carriageReturn] = [10, 13];
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
