import type { SessionMemory } from '../../agent/context/sessionMemory';
import type { HostApi } from '../../protocol/hostApi';

type MemoryApi = Pick<HostApi, 'getMemory' | 'addMemory' | 'forgetMemory'>;

/** Requests of the view about what is kept of a chat when it is summarised. `onChange`: another prompt is sent from now on. */
export function memoryHandlers(memory: Pick<SessionMemory, 'list' | 'add' | 'forget'>, onChange: () => void): MemoryApi {
  const changed = async (sessionId: string) => {
    onChange();
    return { lines: await memory.list(sessionId) };
  };
  return {
    getMemory: async ({ sessionId }) => ({ lines: await memory.list(sessionId) }),
    addMemory: async ({ sessionId, text }) => {
      await memory.add(sessionId, text);
      return changed(sessionId);
    },
    forgetMemory: async ({ sessionId, text, isForgotten }) => {
      await memory.forget(sessionId, text, isForgotten);
      return changed(sessionId);
    },
  };
}
