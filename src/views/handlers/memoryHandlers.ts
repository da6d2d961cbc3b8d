import type { SessionMemory } from '../../agent/context/sessionMemory';
import type { HostApi } from '../../protocol/hostApi';

type MemoryApi = Pick<HostApi, 'getMemory' | 'addMemory' | 'forgetMemory'>;

/** Creates the handlers for a chat's notes, which summaries keep. Calls `onChange` after each change, because the prompt changes. */
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
