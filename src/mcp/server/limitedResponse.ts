import { phrase } from '../../utils/l10n';
import { McpError } from '../mcpError';

/** Largest message of a server, in bytes: one that is larger ends it. */
export const maxMessage = 32 * 1024 * 1024;

/**
 * Returns a response whose body fails with an `McpError` where a message is larger than `maxMessage`: all of the body, or one event in a
 * stream of events. `onTooLarge` is called before.
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
          throw new McpError('call', phrase('It sent more than {0} MB in one message.', maxMessage / 1024 / 1024));
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

/** Returns a counter of the bytes since the last empty line, which ends an event; of a chunk it returns the largest event. */
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
