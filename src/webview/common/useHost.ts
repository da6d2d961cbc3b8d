import { inject, ref, type InjectionKey, type Ref } from 'vue';
import type { HostApi } from '../../protocol/hostApi';
import { connectView, type Channel } from '../../protocol/rpc';
import { viewEvents, type ViewEventName, type ViewEvents } from '../../protocol/webviewEvents';

type Listener<K extends ViewEventName> = (value: ViewEvents[K]) => void;
type Listeners = { [K in ViewEventName]: Set<Listener<K>> };

export interface Host {
  readonly api: HostApi;
  /** Last problem that is not shown elsewhere. */
  readonly problem: Ref<string | null>;
  on<K extends ViewEventName>(name: K, listener: Listener<K>): void;
  /** Resolves to the result of the request. Shows and logs a failure, and resolves to undefined. */
  attempt<T>(request: Promise<T>): Promise<T | undefined>;
  /** Opens a web page in the browser. The extension asks for confirmation first. */
  openLink: (url: string) => Promise<void>;
  fail: (error: unknown) => void;
  report: (error: unknown) => void;
}

export const hostKey: InjectionKey<Host> = Symbol('host');

export function useHost(): Host {
  const host = inject(hostKey);
  if (host === undefined) throw new Error('No host was provided');
  return host;
}

/** Connects to the extension. Reports and drops messages that violate the protocol. */
export function connectToHost(channel: Channel): Host {
  const listeners = Object.fromEntries(Object.keys(viewEvents).map((name) => [name, new Set()])) as Listeners;
  const problem = ref<string | null>(null);

  const heard =
    <K extends ViewEventName>(name: K): Listener<K> =>
    (value) => {
      for (const listener of listeners[name]) listener(value);
    };
  const handlers = Object.fromEntries((Object.keys(viewEvents) as ViewEventName[]).map((name) => [name, heard(name)]));
  const api = connectView(channel, handlers as { [K in ViewEventName]: Listener<K> }, (text) => report(new Error(text)));

  function report(error: unknown): void {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    api.reportViewError({ message, ...(stack === undefined ? {} : { stack }) }).catch(() => undefined);
  }
  function fail(error: unknown): void {
    problem.value = error instanceof Error ? error.message : String(error);
    report(error);
  }

  listeners.problem.add(({ message }) => (problem.value = message));

  async function attempt<T>(request: Promise<T>): Promise<T | undefined> {
    try {
      return await request;
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  return {
    api,
    problem,
    on: (name, listener) => void listeners[name].add(listener),
    attempt,
    openLink: async (url) => void (await attempt(api.openLink({ url }))),
    fail,
    report,
  };
}
