import { inject, ref, shallowRef, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../../protocol/hostApi';
import type { ConnectionState, ModelsState } from '../../../protocol/webviewEvents';
import type { Host } from '../../common/useHost';

export type Mode = HostResult<'ready'>['mode'];

export const modelOfSessionKey: InjectionKey<Readonly<Ref<string | null>>> = Symbol('modelOfSession');

/** Returns the session's model; null if none is selected. */
export function useModelOfSession(): Readonly<Ref<string | null>> {
  return inject(modelOfSessionKey, () => ref(null), true);
}

export const modelsKey: InjectionKey<ReturnType<typeof useModels>> = Symbol('models');

export function useModels(host: Host) {
  const models = shallowRef<ModelsState>({ models: [], stale: false, selected: {} });
  const connection = shallowRef<ConnectionState>({ state: 'unknown', baseUrl: '', version: null, message: null, demo: false });
  const mode = ref<Mode>('agent');
  const isChecking = ref(false);

  /** Unsaved choices, which an older state must not undo. */
  const choosing = new Map<Mode, string>();

  function show(state: ModelsState): void {
    models.value = { ...state, selected: { ...state.selected, ...Object.fromEntries(choosing) } };
  }

  host.on('models', show);
  host.on('connection', (state) => (connection.value = state));

  let modeChoices = 0;
  /** Counts the modes that the user chose. */
  const countModeChoices = () => modeChoices;

  /** Takes the host's state. `asked`: the count of choices at the request; a mode that the user chose since then stays. */
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

  /** Limits the context window of models loaded from now on, in tokens. */
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
