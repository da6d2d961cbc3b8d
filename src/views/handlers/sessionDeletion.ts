import { AgentError } from '../../agent/kernel/agentError';
import type { RunState } from '../../protocol/webviewEvents';
import { isAtWork } from '../../types/runState';
import { phrase } from '../../utils/l10n';

/** Holds what deleting a session takes. */
export interface SessionDeletionPorts {
  sessions: {
    get(sessionId: string): Promise<{ title: string } | undefined>;
    delete(sessionId: string): Promise<void>;
  };
  runState(sessionId: string): Promise<RunState>;
  stop(sessionId: string): Promise<void>;
  /** Asks a person whether they mean it. */
  confirm(title: string, isRunning: boolean): Promise<boolean>;
}

/**
 * Deletes a session after a person said yes, its run stopped first; false where they did not. One that is gone already counts as
 * deleted. Rejects with `sessionElsewhere` where another window runs it, before and after the question.
 */
export async function deleteSession(sessionId: string, ports: SessionDeletionPorts): Promise<boolean> {
  const { sessions } = ports;
  const record = await sessions.get(sessionId);
  if (record === undefined) return true;
  const state = await stateHere(sessionId, ports);
  if (!(await ports.confirm(record.title, isAtWork(state)))) return false;
  // The question may have stood there for long.
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
