import { shallowRef, type InjectionKey, type Ref } from 'vue';
import type { ContextUse } from '../../../protocol/contextUse';
import type { Host } from '../../common/useHost';

export const contextUseKey: InjectionKey<Readonly<Ref<ContextUse | null>>> = Symbol('contextUse');

/** Tracks the context usage of the shown chat. Null without a model or before the first update. */
export function useContextUse(host: Host) {
  const use = shallowRef<ContextUse | null>(null);
  host.on('context', (next) => (use.value = next));
  return use;
}
