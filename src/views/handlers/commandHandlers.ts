import type { SessionGrants } from '../../agent/approvals/sessionGrants';
import type { HostApi } from '../../protocol/hostApi';
import type { BackgroundCommands } from '../../services/terminal/run/backgroundCommands';
import type { CommandOutputs } from '../../services/terminal/run/commandOutputs';
import type { SandboxState } from '../../services/terminal/sandbox/sandboxPorts';
import { noResult } from '../noResult';

type CommandApi = Pick<
  HostApi,
  | 'listBackground'
  | 'stopBackground'
  | 'stopCommand'
  | 'continueInBackground'
  | 'listCommandOutput'
  | 'getGrants'
  | 'changeGrants'
  | 'sandboxState'
>;

interface CommandServices {
  background: Pick<BackgroundCommands, 'listed' | 'stop'>;
  commandOutputs: Pick<CommandOutputs, 'listTails' | 'stop' | 'continueInBackground'>;
  grants: Pick<SessionGrants, 'of' | 'change'>;
  sandboxLevelAvailable: () => Promise<SandboxState>;
}

/** Creates the handlers for auto-approvals, and for running and background commands. */
export function commandHandlers({ background, commandOutputs, grants, sandboxLevelAvailable }: CommandServices): CommandApi {
  return {
    listBackground: async ({ sessionId }) => Promise.resolve({ commands: background.listed(sessionId) }),
    stopBackground: noResult(({ sessionId, id }) => background.stop(sessionId, id)),
    stopCommand: noResult(({ sessionId, callId }) => commandOutputs.stop(sessionId, callId)),
    continueInBackground: noResult(({ sessionId, callId }) => commandOutputs.continueInBackground(sessionId, callId)),
    listCommandOutput: async ({ sessionId }) => Promise.resolve({ outputs: commandOutputs.listTails(sessionId) }),
    getGrants: ({ sessionId }) => grants.of(sessionId),
    changeGrants: noResult(({ sessionId, ...change }) => grants.change(sessionId, change)),
    sandboxState: () => sandboxLevelAvailable(),
  };
}
