import type { Event } from '../utils/emitter';
import { findModel } from '../types/modelNames';
import type { StoredServices } from './storedServices';

/** Knows with which models chats of this window work now. */
export class BusyModels {
  /** Model by session. */
  private readonly running = new Map<string, string>();

  constructor(onDidStartSessions: Event<StoredServices>) {
    onDidStartSessions(({ controller, database }) => {
      this.running.clear();
      controller.onDidChangeRunState(({ sessionId, state }) => {
        if (state !== 'running') this.running.delete(sessionId);
        else if (!this.running.has(sessionId)) {
          this.running.set(sessionId, '');
          void database.sessions
            .get(sessionId)
            .then((session) => this.running.has(sessionId) && this.running.set(sessionId, session?.model ?? ''))
            .catch(() => this.running.delete(sessionId));
        }
      });
    });
  }

  has(model: string): boolean {
    return (
      findModel(
        [...this.running.values()].map((name) => ({ name })),
        model,
      ) !== undefined
    );
  }
}
