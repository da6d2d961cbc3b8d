import { inject, ref, type InjectionKey, type Ref } from 'vue';

export const storageProblemKey: InjectionKey<Readonly<Ref<string | null>>> = Symbol('storageProblem');

/** Why what ran could not be kept any more, by its code; null where nothing was cut off. */
export function useStorageProblem(): Readonly<Ref<string | null>> {
  return inject(storageProblemKey, () => ref(null), true);
}
