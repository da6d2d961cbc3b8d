import { randomUUID } from 'node:crypto';
import { formText, readForm, type FormField } from '../../protocol/forms/formField';
import { OpenQuestions } from './openQuestions';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';

export interface PersonsQuestion {
  question: string;
  options: readonly string[];
  /** Fields of a form. The answer is JSON. The log contains one line for each field. */
  fields?: readonly FormField[];
}

/** Shows the agent's questions to the user. Logs each question and its outcome. */
export class QuestionManager {
  private readonly open = new OpenQuestions<string>();

  /**
   * Resolves with the answer, or with an empty text if the user skips
   * the question. Rejects with `CancelledError` when the run ends first.
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

  /**
   * Resolves when the answer is in the log. An empty answer skips the
   * question. Rejects with `approvalGone` if no run waits for the answer.
   */
  answer(sessionId: string, questionId: string, answer: string): Promise<void> {
    return this.open.answer(sessionId, questionId, answer.trim());
  }
}
