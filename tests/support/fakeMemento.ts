/** The editor's storage for a workspace, in memory. A failure is why nothing can be stored. */
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
