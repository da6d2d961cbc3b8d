import { subagentSession, type ModelExchange } from '../../../types/modelExchange';
import type { Disposable } from '../../../utils/disposable';
import type { Event } from '../../../utils/emitter';

/** Stores the last chat requests in memory, for *Show Request*. Never writes them to disk. */
export class KeptRequests implements Disposable {
  private kept: ModelExchange[] = [];
  private readonly subscription: Disposable;

  /** `limit` returns the maximum number of stored requests; 0 turns storing off. */
  constructor(
    onDidExchange: Event<ModelExchange>,
    readonly limit: () => number,
  ) {
    this.subscription = onDidExchange((exchange) => {
      if (exchange.isLoad || exchange.isMeasurement || exchange.path !== '/api/chat') return;
      this.kept.push(exchange);
      this.trim();
    });
  }

  /** Returns the stored requests, oldest first. */
  all(): readonly ModelExchange[] {
    this.trim();
    return this.kept;
  }

  /** Returns the stored requests of a message, oldest first. Includes the requests that its subagents sent in between. */
  ofTurn(sessionId: string, turn: number): ModelExchange[] {
    const isOwn = ({ origin }: ModelExchange) => origin?.sessionId === sessionId && origin.turn === turn;
    const all = this.all();
    const first = all.findIndex(isOwn);
    const last = all.findLastIndex(isOwn);
    const subagent = subagentSession(sessionId);
    return all.filter(
      (exchange, index) => isOwn(exchange) || (exchange.origin?.sessionId === subagent && index > first && index < last),
    );
  }

  /** Removes requests that exceed a lowered limit. */
  trim(): void {
    const limit = this.limit();
    if (this.kept.length > limit) this.kept = limit === 0 ? [] : this.kept.slice(-limit);
  }

  dispose(): void {
    void this.subscription.dispose();
    this.kept = [];
  }
}
