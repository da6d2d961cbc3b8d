/** A request of this window, from when it is sent until it is over. */
export interface ModelTurn {
  /** True while an earlier request has no complete answer yet. */
  readonly isBehind: boolean;
  /** Called when no earlier request is under way any more. */
  onFirst: (() => void) | null;
  /** Notes that the first token has come. */
  began(): void;
  leave(): void;
}

/**
 * Tracks what can be known of a server's queue: the requests of this window, by model. Requests of others show only as
 * silence. A
 * server that answers two at once has no queue worth reporting.
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
