import type { Channel } from '../protocol/rpc';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** State that survives a reload of the view: the editor keeps it for us. */
export interface StateStore {
  read(): unknown;
  write(state: unknown): void;
}

export interface EditorPort {
  channel: Channel;
  state: StateStore;
}

/** Returns the editor's side of the view. Call it once: the editor hands its API out a single time. */
export function acquireEditor(): EditorPort {
  const api = acquireVsCodeApi();
  return {
    channel: {
      post: (message) => api.postMessage(message),
      onMessage: (listener) => window.addEventListener('message', (event) => listener(event.data)),
    },
    state: { read: () => api.getState(), write: (state) => api.setState(state) },
  };
}

/** Returns any value as a record, to be looked into. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Keeps `part` over a reload of the view, beside what others keep. */
export function keep(store: StateStore, part: object): void {
  store.write({ ...recordOf(store.read()), ...part });
}
