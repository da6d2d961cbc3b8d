import type { SessionGrants } from '../../agent/approvals/sessionGrants';
import type { HostApi } from '../../protocol/hostApi';
import type { BackgroundCommands } from '../../services/terminal/run/backgroundCommands';
import { noResult } from '../noResult';

type CommandApi = Pick<HostApi, 'listBackground' | 'stopBackground' | 'getGrants' | 'changeGrants'>;

/** Requests of the view about what a session may do without a question, and about its commands in the background. */
export function commandHandlers(
  background: Pick<BackgroundCommands, 'running' | 'stop'>,
  grants: Pick<SessionGrants, 'of' | 'change'>,
): CommandApi {
  return {
    listBackground: async ({ sessionId }) => Promise.resolve({ commands: background.running(sessionId) }),
    stopBackground: noResult(({ sessionId, id }) => background.stop(sessionId, id)),
    getGrants: ({ sessionId }) => grants.of(sessionId),
    changeGrants: noResult(({ sessionId, ...change }) => grants.change(sessionId, change)),
  };
}
