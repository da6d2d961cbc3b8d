import { CancelledError } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import { AgentError } from '../kernel/agentError';
import { deferred } from '../kernel/deferred';
import type { Run } from '../kernel/run';

interface Waiting<A> {
  sessionId: string;
  answer(answer: A): void;
  recorded: Promise<void>;
}

/** Logs a question before it is shown, and its answer before it takes effect. */
export interface QuestionRecord<A> {
  asked(): Promise<unknown>;
  /** Logs the answer, or null if the run ended before the user answered. */
  answered(answer: A | null): Promise<unknown>;
}

/** Stores the open questions of the runs in this window. */
export class OpenQuestions<A> {
  private readonly waiting = new Map<string, Waiting<A>>();

  /** Asks a question. Rejects with `CancelledError` when the run ends before the user answers. */
  async ask(id: string, run: Run, record: QuestionRecord<A>): Promise<A> {
    if (run.signal.aborted) throw new CancelledError();
    const answer = deferred<A | null>();
    const recorded = deferred<void>();
    recorded.promise.catch(() => undefined);
    // Registered before the question is shown, so that an early answer is not lost.
    this.waiting.set(id, { sessionId: run.sessionId, answer: answer.resolve, recorded: recorded.promise });
    const onAbort = (): void => answer.resolve(null);
    run.signal.addEventListener('abort', onAbort, { once: true });
    try {
      await record.asked();
      await run.setWaiting(true);
      const given = await answer.promise;
      this.waiting.delete(id);
      await record.answered(given);
      recorded.resolve();
      if (given === null) throw new CancelledError();
      await run.setWaiting(false);
      return given;
    } catch (error) {
      recorded.reject(error);
      throw error;
    } finally {
      run.signal.removeEventListener('abort', onAbort);
      this.waiting.delete(id);
    }
  }

  /** Resolves when the answer is in the log. Rejects with `approvalGone` if no run waits for the answer. */
  async answer(sessionId: string, id: string, answer: A): Promise<void> {
    const waiting = this.waiting.get(id);
    if (waiting?.sessionId !== sessionId)
      throw new AgentError('approvalGone', phrase('This question has already been answered.'));
    waiting.answer(answer);
    await waiting.recorded;
  }
}
