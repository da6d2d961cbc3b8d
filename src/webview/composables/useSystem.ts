import { inject, shallowRef, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../protocol/hostApi';

export type HostSystem = Pick<HostResult<'ready'>, 'system' | 'windowsHost'>;

export const noSystem: HostSystem = { system: 'other', windowsHost: null };
export const systemKey: InjectionKey<Ref<HostSystem>> = Symbol('system');

/** The system that the extension runs on. */
export function useSystem(): Ref<HostSystem> {
  return inject(systemKey, () => shallowRef(noSystem), true);
}
