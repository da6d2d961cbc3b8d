import { RequestError, type StopReason } from '@agentclientprotocol/sdk';

interface Turn {
  readonly cancelling: AbortController;
  /** Resolves when the prompt is finished. */
  over: Promise<void>;
}

/** Prompts of a session. Only one prompt at a time is processed. */
export class PromptTurns {
  private current: Turn | null = null;

  /**
   * Processes a prompt. Rejects while another prompt is being processed. After a cancelled prompt, waits until its run has
   * ended, so that one prompt is not settled by the run of the other.
   */
  take(answer: (signal: AbortSignal) => Promise<StopReason>): Promise<StopReason> {
    const before = this.current;
    if (before?.cancelling.signal.aborted === false)
      throw RequestError.invalidRequest(
        undefined,
        'A message is being answered in this session. Wait for its end, or cancel it.',
      );
    const cancelling = new AbortController();
    const answered = (before?.over ?? Promise.resolve()).then(() => answer(cancelling.signal));
    const turn: Turn = { cancelling, over: Promise.resolve() };
    const end = (): void => {
      if (this.current === turn) this.current = null;
    };
    turn.over = answered.then(end, end);
    this.current = turn;
    return answered;
  }

  /** Cancels the current prompt. Does not affect later prompts. */
  cancel(): void {
    this.current?.cancelling.abort();
  }
}
