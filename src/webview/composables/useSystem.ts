import { inject, ref, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../protocol/hostApi';

export type System = HostResult<'ready'>['system'];

export const systemKey: InjectionKey<Ref<System>> = Symbol('system');

/** The system that the extension runs on. */
export function useSystem(): Ref<System> {
  return inject(systemKey, () => ref<System>('other'), true);
}
