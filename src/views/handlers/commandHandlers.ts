import type { SessionGrants } from '../../agent/approvals/sessionGrants';
import type { HostApi } from '../../protocol/hostApi';
import type { BackgroundCommands } from '../../services/terminal/run/backgroundCommands';

type CommandApi = Pick<HostApi, 'listBackground' | 'stopBackground' | 'getGrants' | 'changeGrants'>;

/** Requests of the view about what a session may do without a question, and about its commands in the background. */
export function commandHandlers(
  background: Pick<BackgroundCommands, 'running' | 'stop'>,
  grants: Pick<SessionGrants, 'of' | 'change'>,
): CommandApi {
  return {
    listBackground: async ({ sessionId }) => Promise.resolve({ commands: background.running(sessionId) }),
    stopBackground: async ({ sessionId, id }) => {
      await background.stop(sessionId, id);
      return {};
    },
    getGrants: ({ sessionId }) => grants.of(sessionId),
    changeGrants: async ({ sessionId, ...change }) => {
      await grants.change(sessionId, change);
      return {};
    },
  };
}
