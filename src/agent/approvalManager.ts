import { randomUUID } from 'node:crypto';
import { CancelledError } from '../utils/errors';
import { AgentError } from './agentError';
import { deferred } from './deferred';
import type { Run } from './run';
import type { RunLog } from './runLog';
import type { ApprovalQuestion } from './tool';

type Decision = 'approved' | 'denied' | 'cancelled';

interface Waiting {
  sessionId: string;
  decide(decision: Decision): void;
  recorded: Promise<void>;
}

/** Questions to a person as entries of the log: what was asked and what was decided, each written before it takes effect. */
export class ApprovalManager {
  private readonly waiting = new Map<string, Waiting>();

  /** True when the person approves, false when they decline; rejects with `CancelledError` when the run ends first. */
  async ask(question: ApprovalQuestion & { callId: string }, run: Run, log: RunLog): Promise<boolean> {
    if (run.signal.aborted) throw new CancelledError();
    const approvalId = randomUUID();
    const decision = deferred<Decision>();
    const recorded = deferred<void>();
    recorded.promise.catch(() => undefined);
    // Before the question is shown, so that no answer can come too early.
    this.waiting.set(approvalId, { sessionId: run.sessionId, decide: decision.resolve, recorded: recorded.promise });
    const onAbort = (): void => decision.resolve('cancelled');
    run.signal.addEventListener('abort', onAbort, { once: true });
    try {
      await log.append({ type: 'approval', data: { ...question, approvalId, phase: 'requested' } });
      await run.setWaiting(true);
      const made = await decision.promise;
      this.waiting.delete(approvalId);
      await log.append({
        type: 'approval',
        data: {
          approvalId,
          callId: question.callId,
          phase: 'decided',
          kind: question.kind,
          decision: made,
          decidedBy: made === 'cancelled' ? 'run' : 'person',
        },
      });
      recorded.resolve();
      if (made === 'cancelled') throw new CancelledError();
      await run.setWaiting(false);
      return made === 'approved';
    } catch (error) {
      recorded.reject(error);
      throw error;
    } finally {
      run.signal.removeEventListener('abort', onAbort);
      this.waiting.delete(approvalId);
    }
  }

  /** Resolves when the decision is in the log. Rejects with `approvalGone` when nobody waits for it any more. */
  async decide(sessionId: string, approvalId: string, approve: boolean): Promise<void> {
    const waiting = this.waiting.get(approvalId);
    if (waiting?.sessionId !== sessionId) throw new AgentError('approvalGone', 'This question has been settled already.');
    waiting.decide(approve ? 'approved' : 'denied');
    await waiting.recorded;
  }
}
