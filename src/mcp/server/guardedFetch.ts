/** Returns a `fetch` that asks one origin and no other: headers with a token never follow a redirect elsewhere. */
export function guardedFetch(origin: string): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.origin !== origin) throw new Error(`Not asked: ${url.origin} is not the address of this server.`);
    return fetch(input, { ...init, redirect: 'error' });
  };
}
