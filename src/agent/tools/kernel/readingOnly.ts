import { CancelledError } from '../../../utils/errors';
import type { ToolContext } from './tool';

/** Returns a context in which a tool may look and nothing else: whatever asks is declined. */
export function readingOnly(sessionId: string, signal: AbortSignal): ToolContext {
  const refuse = () => Promise.reject(new CancelledError());
  return {
    ...{ sessionId, callId: '', model: null, signal },
    offers: () => false,
    plan: () => null,
    beginWriting: () => {
      throw new CancelledError();
    },
    ...{ beginCommand: refuse, ask: refuse },
    approve: () => Promise.resolve(false),
    grants: () => Promise.resolve({ commands: false, sensitiveEdits: false, allowedCommands: [], files: [] }),
    checkGrant: () => Promise.resolve({ state: 'none', files: {} }),
    noteUnasked: () => Promise.resolve(),
    ...{ recordStep: refuse, recordEdit: refuse, keepImage: refuse },
  };
}
