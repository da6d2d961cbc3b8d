import { inject, ref, shallowRef, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../../protocol/hostApi';
import type { ConnectionState, ModelsState } from '../../../protocol/webviewEvents';
import type { Host } from '../../common/useHost';

export type Mode = HostResult<'ready'>['mode'];

export const modelOfSessionKey: InjectionKey<Readonly<Ref<string | null>>> = Symbol('modelOfSession');

/** Returns the model that goes on with the session in front; null if none is selected. */
export function useModelOfSession(): Readonly<Ref<string | null>> {
  return inject(modelOfSessionKey, () => ref(null), true);
}

export const modelsKey: InjectionKey<ReturnType<typeof useModels>> = Symbol('models');

/** Follows the server, its models, and the mode in which a person works. */
export function useModels(host: Host) {
  const models = shallowRef<ModelsState>({ models: [], stale: false, selected: {} });
  const connection = shallowRef<ConnectionState>({ state: 'unknown', baseUrl: '', version: null, message: null, demo: false });
  const mode = ref<Mode>('agent');
  const isChecking = ref(false);

  /** Chosen and not saved yet: a state from before does not take the choice back. */
  const choosing = new Map<Mode, string>();

  function show(state: ModelsState): void {
    models.value = { ...state, selected: { ...state.selected, ...Object.fromEntries(choosing) } };
  }

  host.on('models', show);
  host.on('connection', (state) => (connection.value = state));

  function start(ready: HostResult<'ready'>): void {
    show(ready.models);
    connection.value = ready.connection;
    mode.value = ready.mode;
  }

  async function selectMode(next: Mode): Promise<void> {
    mode.value = next;
    await host.attempt(host.api.selectMode({ mode: next }));
  }

  async function selectModel(model: string): Promise<void> {
    const of = mode.value;
    choosing.set(of, model);
    show(models.value);
    await host.attempt(host.api.selectModel({ mode: of, model }));
    if (choosing.get(of) === model) choosing.delete(of);
  }

  /** Chooses how a model is told to think. */
  async function chooseThinking(name: string, think: boolean | string): Promise<void> {
    await host.attempt(host.api.setThink({ name, think }));
  }

  /** Loads models with windows of so many tokens at the most from now on. */
  async function useWindow(tokens: number): Promise<void> {
    await host.attempt(host.api.saveSetting({ key: 'agent.maxContextWindow', value: tokens }));
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

  /** Reads the models again, as the server's may have changed. */
  async function refresh(): Promise<void> {
    if (connection.value.state === 'connected') await host.attempt(host.api.refreshModels({}));
  }

  return { models, connection, mode, isChecking, start, selectMode, selectModel, chooseThinking, useWindow, check, refresh };
}
