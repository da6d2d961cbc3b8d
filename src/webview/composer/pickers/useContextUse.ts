import { shallowRef, type InjectionKey, type Ref } from 'vue';
import type { ContextUse } from '../../../protocol/contextUse';
import type { Host } from '../../common/useHost';

export const contextUseKey: InjectionKey<Readonly<Ref<ContextUse | null>>> = Symbol('contextUse');

/** Follows how full the window of the shown chat is; null until the extension tells, and without a model. */
export function useContextUse(host: Host) {
  const use = shallowRef<ContextUse | null>(null);
  host.on('context', (next) => (use.value = next));
  return use;
}
