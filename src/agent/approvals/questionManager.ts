import { randomUUID } from 'node:crypto';
import { OpenQuestions } from './openQuestions';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';

export interface PersonsQuestion {
  question: string;
  options: readonly string[];
}

/** Asks a person for the agent. Logs the question and the answer, or that there was none, as entries. */
export class QuestionManager {
  private readonly open = new OpenQuestions<string>();

  /**
   * Asks a question; resolves with an empty text when the person leaves it to the agent. Rejects with `CancelledError` when the run ends
   * before that.
   */
  ask({ question, options }: PersonsQuestion, callId: string, run: Run, log: RunLog): Promise<string> {
    const questionId = randomUUID();
    return this.open.ask(questionId, run, {
      asked: () =>
        log.append({ type: 'question', content: question, data: { questionId, callId, phase: 'asked', options: [...options] } }),
      answered: (answer) => {
        const outcome = answer === null ? 'cancelled' : answer === '' ? 'skipped' : 'answered';
        return log.append({ type: 'question', content: answer ?? '', data: { questionId, callId, phase: 'settled', outcome } });
      },
    });
  }

  /** Resolves when the answer is in the log; an empty one leaves it to the agent. Rejects with `approvalGone` when nobody waits for it. */
  answer(sessionId: string, questionId: string, answer: string): Promise<void> {
    return this.open.answer(sessionId, questionId, answer.trim());
  }
}
