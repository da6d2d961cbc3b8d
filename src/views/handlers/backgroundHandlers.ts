import type { HostApi } from '../../protocol/hostApi';
import type { BackgroundCommands } from '../../services/terminal/run/backgroundCommands';

/** Requests of the view about commands that run in the background. */
export function backgroundHandlers(
  background: Pick<BackgroundCommands, 'running' | 'stop'>,
): Pick<HostApi, 'listBackground' | 'stopBackground'> {
  return {
    listBackground: async ({ sessionId }) => Promise.resolve({ commands: background.running(sessionId) }),
    stopBackground: async ({ sessionId, id }) => {
      await background.stop(sessionId, id);
      return {};
    },
  };
}
