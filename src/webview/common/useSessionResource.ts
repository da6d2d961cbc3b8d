import { shallowRef, watch, type Ref } from 'vue';
import type { ViewEventName, ViewEvents } from '../../protocol/webviewEvents';
import type { Host } from './useHost';

type SessionEventName = { [K in ViewEventName]: ViewEvents[K] extends { sessionId: string } ? K : never }[ViewEventName];

export interface SessionResource<T> {
  readonly value: Ref<T>;
  readonly refresh: () => Promise<void>;
  /** Sets a newer value. The response to an earlier request does not replace it. */
  readonly put: (value: T) => void;
}

/**
 * Tracks a value that the extension stores for the shown session. Reads the value when the
 * session changes. Each event replaces the value.
 */
export function useSessionResource<T, K extends SessionEventName>(
  host: Host,
  sessionId: Readonly<Ref<string | null>>,
  source: {
    /** Value before the first response and without a session. */
    empty: T;
    read: (sessionId: string) => Promise<T>;
    event: K;
    fromEvent: (event: ViewEvents[K]) => T;
  },
): SessionResource<T> {
  const value = shallowRef(source.empty);
  /** Number of values received so far. Detects a response that is older than the value of an event. */
  let version = 0;

  function put(next: T): void {
    version += 1;
    value.value = next;
  }

  async function refresh(): Promise<void> {
    const id = sessionId.value;
    if (id === null) return;
    const before = version;
    const answer = await host.attempt(source.read(id));
    if (answer !== undefined && version === before) value.value = answer;
  }

  watch(sessionId, () => {
    put(source.empty);
    void refresh();
  });
  host.on(source.event, (event) => {
    if (event.sessionId === sessionId.value) put(source.fromEvent(event));
  });
  return { value, refresh, put };
}
