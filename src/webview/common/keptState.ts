import type { StateStore } from '../hostConnection';

/** What may be anything, to be looked into. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Keeps `part` over a reload of the view, beside what others keep. */
export function keep(store: StateStore, part: object): void {
  store.write({ ...recordOf(store.read()), ...part });
}
