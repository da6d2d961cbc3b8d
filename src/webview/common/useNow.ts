import { onScopeDispose, ref, type Ref } from 'vue';

/** Returns the time in milliseconds since the epoch. It updates at the interval, even after unmount. */
export function useNow(everyMilliseconds: number): Readonly<Ref<number>> {
  const now = ref(Date.now());
  const timer = setInterval(() => (now.value = Date.now()), everyMilliseconds);
  onScopeDispose(() => clearInterval(timer));
  return now;
}
