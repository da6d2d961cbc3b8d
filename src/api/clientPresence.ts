import type { Clock } from '../utils/clock';
import type { Disposable } from '../utils/disposable';
import { Emitter } from '../utils/emitter';
import type { Logger } from '../utils/logger';
import type { Caller, ClientRights } from './clientRights';

/** Time that a client counts as present after its last connection, in milliseconds. */
export const presenceMs = 60_000;

/** Tracks whether a client is present that can answer approval requests. */
export class ClientPresence implements Disposable {
  private readonly connections = new Map<object, Caller>();
  private readonly lastSeen = new Map<string, { caller: Caller; at: number }>();
  private readonly leaving: Emitter<void>;
  private readonly end = new AbortController();

  constructor(
    private readonly rights: Pick<ClientRights, 'holds'>,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.leaving = new Emitter((error) => logger.error('A listener of the clients failed', error));
  }

  /** Fires when the last client that can answer has left. */
  get onDidLeave() {
    return this.leaving.event;
  }

  isAnyonePresent(): boolean {
    const since = this.clock.now() - presenceMs;
    const callers = [...this.connections.values()];
    for (const { caller, at } of this.lastSeen.values()) if (at > since) callers.push(caller);
    return callers.some((caller) => this.rights.holds(caller, 'run'));
  }

  /** Counts a connection of a client as open until the returned function is called. */
  enter(caller: Caller): () => void {
    const connection = {};
    this.connections.set(connection, caller);
    return () => {
      if (!this.connections.delete(connection)) return;
      this.lastSeen.set(`${caller.name}\n${caller.key}`, { caller, at: this.clock.now() });
      if (this.rights.holds(caller, 'run')) void this.checkLater();
    };
  }

  dispose(): void {
    this.end.abort();
    this.leaving.dispose();
  }

  private async checkLater(): Promise<void> {
    try {
      await this.clock.sleep(presenceMs, this.end.signal);
    } catch {
      return;
    }
    for (const [id, { at }] of this.lastSeen) if (at <= this.clock.now() - presenceMs) this.lastSeen.delete(id);
    if (!this.isAnyonePresent()) this.leaving.fire();
  }
}
