import { shallowRef, type InjectionKey, type Ref } from 'vue';
import type { ContextUse } from '../../../protocol/contextUse';
import type { Host } from '../../common/useHost';

export const contextUseKey: InjectionKey<Readonly<Ref<ContextUse | null>>> = Symbol('contextUse');

/** How full the window of what is in front is, as the extension tells it; null while it has not, and where there is no model. */
export function useContextUse(host: Host) {
  const use = shallowRef<ContextUse | null>(null);
  host.on('context', (next) => (use.value = next));
  return use;
}
