import { inject, ref, shallowRef, watch, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../protocol/hostApi';
import type { StorageAction, StorageState } from '../../protocol/webviewEvents';
import type { Host } from '../common/useHost';

export const storageKey: InjectionKey<ReturnType<typeof useStorage>> = Symbol('storage');

export const storageProblemKey: InjectionKey<Readonly<Ref<string | null>>> = Symbol('storageProblem');

/** Returns the code of the storage problem that interrupted a run. Returns null if there was none. */
export function useStorageProblem(): Readonly<Ref<string | null>> {
  return inject(storageProblemKey, () => ref(null), true);
}

/** Records the code of the storage problem that interrupted a run. */
export function watchCutOff(storage: Readonly<Ref<StorageState>>, isRunning: Readonly<Ref<boolean>>): Ref<string | null> {
  const cutOff = ref<string | null>(null);
  watch(
    () => storage.value.problem?.code ?? null,
    (code) => (cutOff.value = isRunning.value ? code : null),
    { flush: 'sync' },
  );
  return cutOff;
}

/** Tracks the state of the storage, and runs the user's actions to fix a problem. */
export function useStorage(
  host: Host,
  /** Called if the storage opens later than the view. */
  onOpened: () => Promise<void>,
) {
  const state = shallowRef<StorageState>({ state: 'open', problem: null });
  const isBusy = ref(false);
  let isStarted = false;
  let reopening: Promise<void> = Promise.resolve();

  function set(next: StorageState): void {
    const isNew = isStarted && next.state === 'open' && state.value.state !== 'open';
    state.value = next;
    if (isNew) reopening = onOpened();
  }
  host.on('storage', set);

  function start(ready: HostResult<'ready'>): void {
    state.value = ready.storage;
    isStarted = true;
  }

  async function act(action: StorageAction): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      const next = await host.attempt(host.api.actOnStorage({ action }));
      if (next !== undefined) set(next);
    } finally {
      isBusy.value = false;
    }
  }

  /** Returns true if chats can be stored now. Retries a temporary problem first. */
  async function isThere(): Promise<boolean> {
    if (state.value.problem?.actions[0] === 'retry') await act('retry');
    await reopening;
    return state.value.problem === null;
  }

  return { state, isBusy, start, act, isThere };
}
