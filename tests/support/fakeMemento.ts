/** Returns an in-memory double of the editor's workspace storage. `failure` makes every write fail. */
export function fakeMemento(failure: Error | null = null) {
  const kept = new Map<string, unknown>();
  return {
    kept,
    get: (key: string): unknown => kept.get(key),
    update: async (key: string, value: unknown): Promise<void> => {
      if (failure !== null) throw failure;
      kept.set(key, value);
    },
  };
}
