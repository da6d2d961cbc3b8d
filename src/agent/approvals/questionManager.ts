import { randomUUID } from 'node:crypto';
import { formText, readForm, type FormField } from '../../protocol/forms/formField';
import { OpenQuestions } from './openQuestions';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';

export interface PersonsQuestion {
  question: string;
  options: readonly string[];
  /** Fields of a form; its answer is JSON, and the log has it a line a field. */
  fields?: readonly FormField[];
}

/** Asks a person for the agent. Logs the question and the answer, or that there was none, as entries. */
export class QuestionManager {
  private readonly open = new OpenQuestions<string>();

  /**
   * Asks a question; resolves with an empty text when the person leaves it to the agent. Rejects with `CancelledError` when the run ends
   * before that.
   */
  ask({ question, options, fields }: PersonsQuestion, callId: string, run: Run, log: RunLog): Promise<string> {
    const questionId = randomUUID();
    return this.open.ask(questionId, run, {
      asked: () =>
        log.append({
          type: 'question',
          content: question,
          data: { questionId, callId, phase: 'asked', options: [...options], ...(fields && { fields: [...fields] }) },
        }),
      answered: (answer) => {
        const outcome = answer === null ? 'cancelled' : answer === '' ? 'skipped' : 'answered';
        const values = fields && answer !== null ? readForm(fields, answer) : null;
        const content = fields && values ? formText(fields, values) : (answer ?? '');
        return log.append({ type: 'question', content, data: { questionId, callId, phase: 'settled', outcome } });
      },
    });
  }

  /** Resolves when the answer is in the log; an empty one leaves it to the agent. Rejects with `approvalGone` when nobody waits for it. */
  answer(sessionId: string, questionId: string, answer: string): Promise<void> {
    return this.open.answer(sessionId, questionId, answer.trim());
  }
}
