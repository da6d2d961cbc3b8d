import { inject, provide, type InjectionKey } from 'vue';

/** Provides what several components need, once, and returns it. */
export function share<T>(key: InjectionKey<T>, value: T): T {
  provide(key, value);
  return value;
}

/** Returns what the view provides under the key. Throws where nothing does. */
export function provided<T>(key: InjectionKey<T>): T {
  const value = inject(key);
  if (value === undefined) throw new Error(`Nothing provides ${key.description ?? 'this'} here`);
  return value;
}
