import { ref, shallowRef } from 'vue';
import type { HostResult } from '../../protocol/hostApi';
import type { ConnectionState, ModelsState } from '../../protocol/webviewEvents';
import type { Host } from './useHost';

export type Mode = HostResult<'ready'>['mode'];

/** The server, its models, and the mode in which a person works. */
export function useModels(host: Host) {
  const models = shallowRef<ModelsState>({ models: [], stale: false, selected: {} });
  const connection = shallowRef<ConnectionState>({ state: 'unknown', baseUrl: '', version: null, message: null, demo: false });
  const mode = ref<Mode>('agent');
  const isChecking = ref(false);

  host.on('models', (state) => (models.value = state));
  host.on('connection', (state) => (connection.value = state));

  function start(ready: HostResult<'ready'>): void {
    models.value = ready.models;
    connection.value = ready.connection;
    mode.value = ready.mode;
  }

  async function selectMode(next: Mode): Promise<void> {
    mode.value = next;
    await host.attempt(host.api.selectMode({ mode: next }));
  }

  async function selectModel(model: string): Promise<void> {
    models.value = { ...models.value, selected: { ...models.value.selected, [mode.value]: model } };
    await host.attempt(host.api.selectModel({ mode: mode.value, model }));
  }

  /** Looks for the server and its models again. */
  async function check(): Promise<void> {
    if (isChecking.value) return;
    isChecking.value = true;
    try {
      await host.attempt(host.api.testConnection({}));
      await refresh();
    } finally {
      isChecking.value = false;
    }
  }

  /** What the server has may have changed since it was last asked. */
  async function refresh(): Promise<void> {
    if (connection.value.state === 'connected') await host.attempt(host.api.refreshModels({}));
  }

  return { models, connection, mode, isChecking, start, selectMode, selectModel, check, refresh };
}
