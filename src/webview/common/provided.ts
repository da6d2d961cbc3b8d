import { inject, provide, type InjectionKey } from 'vue';

export function share<T>(key: InjectionKey<T>, value: T): T {
  provide(key, value);
  return value;
}

/** Returns the provided value. Throws if there is none. */
export function provided<T>(key: InjectionKey<T>): T {
  const value = inject(key);
  if (value === undefined) throw new Error(`Nothing provides ${key.description ?? 'this'} here`);
  return value;
}
