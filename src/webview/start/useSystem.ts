import { inject, shallowRef, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../protocol/hostApi';

export interface HostSystem extends Pick<HostResult<'ready'>, 'system' | 'windowsHost'> {
  /** Where Ollama should answer on this machine; null where the address is another machine's, and nothing here can start it. */
  ollamaPort: string | null;
}

export const noSystem: HostSystem = { system: 'other', windowsHost: null, ollamaPort: null };
export const systemKey: InjectionKey<Ref<HostSystem>> = Symbol('system');

/** The system that the extension runs on. */
export function useSystem(): Ref<HostSystem> {
  return inject(systemKey, () => shallowRef(noSystem), true);
}
