import { CancelledError } from '../../../utils/errors';
import { noGrants } from '../../approvals/sessionGrants';
import type { ToolContext } from './tool';

/** Returns a context in which a tool can only read. All questions are declined automatically. */
export function readOnlyContext(sessionId: string, signal: AbortSignal): ToolContext {
  const refuse = () => Promise.reject(new CancelledError());
  return {
    sessionId,
    callId: '',
    model: null,
    signal,
    offers: () => false,
    plan: () => null,
    beginWriting: () => {
      throw new CancelledError();
    },
    beginCommand: refuse,
    ask: refuse,
    approve: () => Promise.resolve(false),
    askAboutDenial: () => Promise.resolve('denied'),
    callReasons: [],
    grants: () => Promise.resolve(noGrants),
    checkGrant: () => Promise.resolve({ state: 'none', files: {} }),
    logAutoApproval: () => Promise.resolve(),
    recordStep: refuse,
    recordEdit: refuse,
    keepImage: refuse,
  };
}
