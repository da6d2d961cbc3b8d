import { inject, ref, shallowRef, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../../protocol/hostApi';
import type { ConnectionState, ModelsState } from '../../../protocol/webviewEvents';
import type { Host } from '../../common/useHost';

export type Mode = HostResult<'ready'>['mode'];

export const modelOfSessionKey: InjectionKey<Readonly<Ref<string | null>>> = Symbol('modelOfSession');

/** Returns the model of the session. Null if none is selected. */
export function useModelOfSession(): Readonly<Ref<string | null>> {
  return inject(modelOfSessionKey, () => ref(null), true);
}

export const modelsKey: InjectionKey<ReturnType<typeof useModels>> = Symbol('models');

export function useModels(host: Host) {
  const models = shallowRef<ModelsState>({ models: [], stale: false, selected: {} });
  const connection = shallowRef<ConnectionState>({ state: 'unknown', baseUrl: '', version: null, message: null, demo: false });
  const mode = ref<Mode>('agent');
  const isChecking = ref(false);

  /** Choices that are not saved yet. An older state must not overwrite them. */
  const choosing = new Map<Mode, string>();

  function show(state: ModelsState): void {
    models.value = { ...state, selected: { ...state.selected, ...Object.fromEntries(choosing) } };
  }

  host.on('models', show);
  host.on('connection', (state) => (connection.value = state));

  let modeChoices = 0;
  /** Returns how often the user has changed the mode. */
  const countModeChoices = () => modeChoices;

  /**
   * Applies the state that the extension sent. `asked` is the count of mode changes at the time of the
   * request. A mode that the user selected later is kept.
   */
  function start(ready: HostResult<'ready'>, asked: number): void {
    show(ready.models);
    connection.value = ready.connection;
    if (asked === modeChoices) mode.value = ready.mode;
  }

  async function selectMode(next: Mode): Promise<void> {
    modeChoices += 1;
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

  async function chooseThinking(name: string, think: boolean | string): Promise<void> {
    await host.attempt(host.api.setThink({ name, think }));
  }

  /** Limits the context window of models that are loaded from now on. `tokens` is the maximum. */
  async function useWindow(tokens: number): Promise<void> {
    await host.attempt(host.api.saveSetting({ key: 'agent.maxContextWindow', value: tokens }));
  }

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

  async function refresh(): Promise<void> {
    if (connection.value.state === 'connected') await host.attempt(host.api.refreshModels({}));
  }

  return {
    models,
    connection,
    mode,
    isChecking,
    start,
    countModeChoices,
    selectMode,
    selectModel,
    chooseThinking,
    useWindow,
    check,
    refresh,
  };
}
