/** Makes the handler of a request without a result, which resolves once `work` is done and rejects as `work` does. */
export function noResult<Params>(work: (params: Params) => unknown): (params: Params) => Promise<Record<string, never>> {
  return async (params) => {
    await work(params);
    return {};
  };
}
