import { shallowRef, watch, type Ref } from 'vue';
import type { ViewEventName, ViewEvents } from '../../protocol/webviewEvents';
import type { Host } from './useHost';

/** Events about one session. */
type SessionEventName = { [K in ViewEventName]: ViewEvents[K] extends { sessionId: string } ? K : never }[ViewEventName];

export interface SessionResource<T> {
  readonly value: Ref<T>;
  /** Asks the extension again. */
  readonly refresh: () => Promise<void>;
  /** Puts a newer value in place; an answer that is on its way does not replace it. */
  readonly put: (value: T) => void;
}

/** Follows what the extension keeps for the shown session: asked for when the session changes, replaced by each event about it. */
export function useSessionResource<T, K extends SessionEventName>(
  host: Host,
  sessionId: Readonly<Ref<string | null>>,
  source: {
    /** Stands in until the answer is here, and where no session is shown. */
    empty: T;
    read: (sessionId: string) => Promise<T>;
    event: K;
    fromEvent: (event: ViewEvents[K]) => T;
  },
): SessionResource<T> {
  const value = shallowRef(source.empty);
  /** Number of values so far: a value from an event is newer than the answer to a request before it. */
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
