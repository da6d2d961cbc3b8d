import type { SessionGrants } from '../../agent/approvals/sessionGrants';
import type { HostApi } from '../../protocol/hostApi';

export type GrantApi = Pick<HostApi, 'getGrants' | 'changeGrants'>;

/** Requests of the view about what a session may do without a question. */
export function grantHandlers(grants: Pick<SessionGrants, 'of' | 'change'>): GrantApi {
  return {
    getGrants: ({ sessionId }) => grants.of(sessionId),
    changeGrants: async ({ sessionId, ...change }) => {
      await grants.change(sessionId, change);
      return {};
    },
  };
}
