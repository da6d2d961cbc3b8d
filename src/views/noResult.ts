/** Creates a handler without a result. */
export function noResult<Params>(work: (params: Params) => unknown): (params: Params) => Promise<Record<string, never>> {
  return async (params) => {
    await work(params);
    return {};
  };
}
