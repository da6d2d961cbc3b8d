import { subagentSession, type ModelExchange } from '../../../types/modelExchange';
import type { Disposable } from '../../../utils/disposable';
import type { Event } from '../../../utils/emitter';

/** Keeps the last chat requests in memory, for *Show Request*. Never writes to disk. */
export class KeptRequests implements Disposable {
  private kept: ModelExchange[] = [];
  private readonly subscription: Disposable;

  /** `limit` returns how many requests are kept; 0 keeps none. */
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

  /** Returns the kept requests, oldest first. */
  all(): readonly ModelExchange[] {
    this.trim();
    return this.kept;
  }

  /** Returns the kept requests of a message, oldest first, with those that its subagents sent in between. */
  ofTurn(sessionId: string, turn: number): ModelExchange[] {
    const isOwn = ({ origin }: ModelExchange) => origin?.sessionId === sessionId && origin.turn === turn;
    const all = this.all();
    const [first, last] = [all.findIndex(isOwn), all.findLastIndex(isOwn)];
    const subagent = subagentSession(sessionId);
    return all.filter(
      (exchange, index) => isOwn(exchange) || (exchange.origin?.sessionId === subagent && index > first && index < last),
    );
  }

  /** Drops what a lower limit no longer allows. */
  trim(): void {
    const limit = this.limit();
    if (this.kept.length > limit) this.kept = limit === 0 ? [] : this.kept.slice(-limit);
  }

  dispose(): void {
    void this.subscription.dispose();
    this.kept = [];
  }
}
