/** Pending request of this window. */
export interface ModelTurn {
  /** True while an earlier request still waits for its complete answer. */
  readonly isBehind: boolean;
  /** Called when this request becomes the first in the queue. */
  onFirst: (() => void) | null;
  /** Records the first token. */
  began(): void;
  leave(): void;
}

/**
 * Tracks the requests of this window by model, as an estimate of the server's queue. Requests from other
 * clients are unknown. If a server ever answers two requests at the same time, no queue is reported.
 */
export class ModelTurns {
  private readonly lines = new Map<string, ModelTurn[]>();
  private isParallel = false;

  enter(model: string): ModelTurn {
    const line = this.lines.get(model) ?? [];
    this.lines.set(model, line);
    const isBehind = () => !this.isParallel && line[0] !== turn;
    const turn: ModelTurn = {
      get isBehind() {
        return isBehind();
      },
      onFirst: null,
      began: () => {
        if (line[0] !== turn) this.isParallel = true;
        turn.onFirst = null;
      },
      leave: () => {
        const place = line.indexOf(turn);
        if (place >= 0) line.splice(place, 1);
        if (place === 0) line[0]?.onFirst?.();
        if (line.length === 0 && this.lines.get(model) === line) this.lines.delete(model);
      },
    };
    line.push(turn);
    return turn;
  }
}
