import { inject, ref, type InjectionKey, type Ref } from 'vue';

export const storageProblemKey: InjectionKey<Readonly<Ref<string | null>>> = Symbol('storageProblem');

/** Why conversations cannot be kept now, by its code; null while they can. */
export function useStorageProblem(): Readonly<Ref<string | null>> {
  return inject(storageProblemKey, () => ref(null), true);
}
