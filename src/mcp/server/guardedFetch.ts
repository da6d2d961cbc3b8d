import { network } from '../../services/network/network';
import { limitedResponse } from './limitedResponse';

/**
 * Returns a `fetch` for a single origin without redirects, so that headers with a token are not sent elsewhere. If
 * a message is too large, calls `onTooLarge` and fails.
 */
export function guardedFetch(origin: string, onTooLarge?: () => void): typeof fetch {
  const ask = network.fetch(({ method }) => ({ purpose: 'mcp', detail: method }));
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.origin !== origin) throw new Error(`Not asked: ${url.origin} is not the address of this server.`);
    return limitedResponse(await ask(input, init), onTooLarge);
  };
}
