import { AgentError } from '../../agent/kernel/agentError';
import type { RunState } from '../../protocol/webviewEvents';
import { isAtWork } from '../../types/runState';
import { phrase } from '../../utils/l10n';

export interface SessionDeletionPorts {
  sessions: {
    get(sessionId: string): Promise<{ title: string } | undefined>;
    delete(sessionId: string): Promise<void>;
  };
  runState(sessionId: string): Promise<RunState>;
  stop(sessionId: string): Promise<void>;
  confirm(title: string, isRunning: boolean): Promise<boolean>;
}

/**
 * Deletes a session after confirmation and stops its run. Resolves with false if the user cancels, and
 * with true if the session no longer exists. Rejects with `sessionElsewhere` if another window runs
 * it. Checks this before and after the question.
 */
export async function deleteSession(sessionId: string, ports: SessionDeletionPorts): Promise<boolean> {
  const { sessions } = ports;
  const record = await sessions.get(sessionId);
  if (record === undefined) return true;
  const state = await stateHere(sessionId, ports);
  if (!(await ports.confirm(record.title, isAtWork(state)))) return false;
  // The dialog may have been open for a long time.
  await stateHere(sessionId, ports);
  await ports.stop(sessionId);
  await sessions.delete(sessionId);
  return true;
}

async function stateHere(sessionId: string, ports: SessionDeletionPorts): Promise<RunState['state']> {
  const { state } = await ports.runState(sessionId);
  if (state === 'elsewhere') {
    throw new AgentError('sessionElsewhere', phrase('This chat is running in another window. Stop it there, then delete it.'));
  }
  return state;
}
