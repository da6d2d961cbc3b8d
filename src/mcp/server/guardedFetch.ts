import { network } from '../../services/network/network';
import { limitedResponse } from './limitedResponse';

/**
 * Returns a `fetch` for a single origin without redirects, so that headers with a token go nowhere else. Fails for a
 * message that is too large, after `onTooLarge`.
 */
export function guardedFetch(origin: string, onTooLarge?: () => void): typeof fetch {
  const ask = network.fetch(({ method }) => ({ purpose: 'mcp', detail: method }));
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.origin !== origin) throw new Error(`Not asked: ${url.origin} is not the address of this server.`);
    return limitedResponse(await ask(input, init), onTooLarge);
  };
}
