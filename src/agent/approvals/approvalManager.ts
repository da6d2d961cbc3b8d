import { randomUUID } from 'node:crypto';
import { phrase } from '../../utils/l10n';
import { AgentError } from '../kernel/agentError';
import { OpenQuestions } from './openQuestions';
import { QuestionManager } from './questionManager';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';
import type { ApprovalQuestion } from '../kernel/approvalQuestion';

/**
 * Decision about an approval. `always` also approves later calls of the session. `host` allows the
 * blocked host for the session. `unanswered` denies the call because no user or client could decide.
 */
export type ApprovalAnswer = 'approved' | 'always' | 'host' | 'denied' | 'unanswered';

export interface Decision {
  /** True to also approve later calls of the session. */
  isAlways?: boolean | undefined;
  /** True to allow the blocked host instead. */
  isHost?: boolean | undefined;
  /** True to run a blocked command outside the sandbox. API clients must set this explicitly. */
  isOutside?: boolean | undefined;
  /** Name of the API client that decides for the user. */
  client?: string | undefined;
  /** True to deny the request because no user or client can answer. */
  isUnanswered?: boolean | undefined;
}

/** Asks the user for approval. Logs each question and each decision before it takes effect. */
export class ApprovalManager {
  /** Handles questions that do not ask for approval. */
  readonly questions = new QuestionManager();
  private readonly open = new OpenQuestions<{ answer: ApprovalAnswer; client?: string | undefined }>();
  /**
   * Open questions about commands that the sandbox blocked, with the
   * host that can be allowed. Null means that there is no such host.
   */
  private readonly denied = new Map<string, string | null>();

  /** Asks for approval. Rejects with `CancelledError` when the run ends before the user answers. */
  async ask(question: ApprovalQuestion & { callId: string }, run: Run, log: RunLog): Promise<ApprovalAnswer> {
    const approvalId = randomUUID();
    const { callId, kind, canAllowAlways = false } = question;
    const host = question.sandbox?.host ?? null;
    const meant = (answer: ApprovalAnswer): ApprovalAnswer => {
      if (answer === 'host' && host === null) return 'denied';
      return answer === 'always' && !canAllowAlways ? 'approved' : answer;
    };
    if (question.sandbox !== undefined) this.denied.set(approvalId, host);
    const asked = this.open.ask(approvalId, run, {
      asked: () => log.append({ type: 'approval', data: { ...question, approvalId, phase: 'requested' } }),
      answered: (given) => {
        const decided =
          given === null ? ({ decision: 'cancelled', decidedBy: 'run' } as const) : decidedData(meant(given.answer), host);
        const client = given?.client;
        const data = { approvalId, callId, phase: 'decided', kind, ...decided, ...(client !== undefined && { client }) } as const;
        return log.append({ type: 'approval', data });
      },
    });
    const { answer } = await asked.finally(() => this.denied.delete(approvalId));
    return meant(answer);
  }

  /**
   * Resolves when the decision is in the log. Rejects with `approvalGone` if no run waits for the decision. Rejects
   * with `sandboxChoice` if a client makes no valid choice when it approves a command that the sandbox blocked.
   */
  async decide(sessionId: string, approvalId: string, approve: boolean, decision: Decision = {}): Promise<void> {
    const { isAlways, isHost, client, isUnanswered } = decision;
    if (client !== undefined && approve) this.assertChosen(approvalId, decision);
    const approval = isHost === true ? 'host' : isAlways === true ? 'always' : 'approved';
    const answer = approve ? approval : isUnanswered === true ? 'unanswered' : 'denied';
    await this.open.answer(sessionId, approvalId, { answer, client });
  }

  private assertChosen(approvalId: string, { isHost = false, isOutside = false }: Decision): void {
    const host = this.denied.get(approvalId);
    const problem =
      host === undefined
        ? (isHost || isOutside) &&
          phrase('This request is not for a command that the sandbox blocked. You can only approve or skip it.')
        : isHost
          ? host === null && phrase('This request has no host to allow.')
          : !isOutside &&
            phrase('The sandbox blocked this command. Allow the host, run the command outside the sandbox, or skip it.');
    if (problem !== false) throw new AgentError('sandboxChoice', problem);
  }
}

function decidedData(answer: ApprovalAnswer, host: string | null) {
  if (answer === 'unanswered') return { decision: 'denied', decidedBy: 'run', isUnanswered: true } as const;
  const decision = answer === 'denied' ? 'denied' : 'approved';
  if (answer === 'host' && host !== null) return { decision, decidedBy: 'person', allowedHost: host } as const;
  return { decision, decidedBy: 'person', ...(answer === 'always' && { isAlways: true }) } as const;
}
