import { computed, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { MemoryLine } from '../../../protocol/requests/memoryRequests';
import type { Host } from '../../common/useHost';

export type MemoryHandle = ReturnType<typeof useMemory>;
export const memoryKey: InjectionKey<MemoryHandle> = Symbol('memory');

/** Reads and changes the notes of the shown chat, on demand. */
export function useMemory(host: Host, sessionId: Readonly<Ref<string | null>>) {
  const lines = shallowRef<readonly MemoryLine[]>([]);
  const hasChat = computed(() => sessionId.value !== null);

  async function follow(ask: (id: string) => Promise<{ lines: MemoryLine[] }>): Promise<boolean> {
    const id = sessionId.value;
    if (id === null) return false;
    const answer = await host.attempt(ask(id));
    if (answer !== undefined && id === sessionId.value) lines.value = answer.lines;
    return answer !== undefined;
  }

  watch(sessionId, () => (lines.value = []));

  return {
    lines,
    hasChat,
    refresh: () => follow((id) => host.api.getMemory({ sessionId: id })),
    add: (text: string) => follow((id) => host.api.addMemory({ sessionId: id, text })),
    forget: ({ text, kind }: MemoryLine, isForgotten: boolean) =>
      follow((id) => host.api.forgetMemory({ sessionId: id, text, isForgotten: kind === 'own' || isForgotten })),
  };
}
