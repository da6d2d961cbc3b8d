import { limitedResponse } from './limitedResponse';

/**
 * Returns a `fetch` that asks one origin and no other: headers with a token never follow a redirect elsewhere. A message that is too large
 * fails, after `onTooLarge`.
 */
export function guardedFetch(origin: string, onTooLarge?: () => void): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.origin !== origin) throw new Error(`Not asked: ${url.origin} is not the address of this server.`);
    return limitedResponse(await fetch(input, { ...init, redirect: 'error' }), onTooLarge);
  };
}
