import type { Channel } from '../protocol/rpc';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** View state that the editor stores across reloads. */
export interface StateStore {
  read(): unknown;
  write(state: unknown): void;
}

export interface EditorPort {
  channel: Channel;
  state: StateStore;
}

/** Returns the editor's API. Call it only once, because the editor provides the API once. */
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

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Stores `part` across reloads, next to other parts. */
export function keep(store: StateStore, part: object): void {
  store.write({ ...asRecord(store.read()), ...part });
}
