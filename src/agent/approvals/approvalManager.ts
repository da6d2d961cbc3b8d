import { randomUUID } from 'node:crypto';
import { OpenQuestions } from './openQuestions';
import { QuestionManager } from './questionManager';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';
import type { ApprovalQuestion } from '../kernel/approvalQuestion';

/** `always`: from now on in this session too. */
type Answer = 'approved' | 'always' | 'denied';

/** Questions to a person as entries of the log: what was asked and what was decided, each written before it takes effect. */
export class ApprovalManager {
  /** Questions that are not about a permission. */
  readonly questions = new QuestionManager();
  private readonly open = new OpenQuestions<Answer>();

  /** Rejects with `CancelledError` when the run ends before the person has answered. */
  async ask(question: ApprovalQuestion & { callId: string }, run: Run, log: RunLog): Promise<Answer> {
    const approvalId = randomUUID();
    const { callId, kind, canAllowAlways = false } = question;
    const meant = (answer: Answer): Answer => (answer === 'always' && !canAllowAlways ? 'approved' : answer);
    const answer = await this.open.ask(approvalId, run, {
      asked: () => log.append({ type: 'approval', data: { ...question, approvalId, phase: 'requested' } }),
      answered: (given) => {
        const decision = given === null ? 'cancelled' : given === 'denied' ? 'denied' : 'approved';
        const isAlways = given !== null && meant(given) === 'always';
        const decidedBy = given === null ? 'run' : 'person';
        const data = { approvalId, callId, phase: 'decided', kind, decision, decidedBy, ...(isAlways && { isAlways }) } as const;
        return log.append({ type: 'approval', data });
      },
    });
    return meant(answer);
  }

  /** Resolves when the decision is in the log. Rejects with `approvalGone` when nobody waits for it any more. */
  decide(sessionId: string, approvalId: string, approve: boolean, always = false): Promise<void> {
    return this.open.answer(sessionId, approvalId, !approve ? 'denied' : always ? 'always' : 'approved');
  }
}
