import { inject, shallowRef, type InjectionKey, type Ref } from 'vue';
import type { HostResult } from '../../protocol/hostApi';
import type { ModelsState, PullState } from '../../protocol/webviewEvents';
import { findModel } from '../../types/modelNames';
import type { Host } from '../common/useHost';

export const pullsKey: InjectionKey<ReturnType<typeof usePulls>> = Symbol('pulls');

export function usePullsOfView(): ReturnType<typeof usePulls> {
  const pulls = inject(pullsKey);
  if (pulls === undefined) throw new Error('Nothing here can pull models.');
  return pulls;
}

export function usePulls(host: Host, models: Readonly<Ref<ModelsState>>) {
  const pulls = shallowRef<PullState[]>([]);
  const suggestions = shallowRef<HostResult<'suggestModels'>>({ suggestions: [], memory: null, kind: 'computer', asOf: '' });

  host.on('pulls', (state) => (pulls.value = state));

  function start(ready: HostResult<'ready'>): void {
    pulls.value = ready.pulls;
  }

  async function suggest(): Promise<void> {
    suggestions.value = (await host.attempt(host.api.suggestModels({}))) ?? suggestions.value;
  }

  const pull = (name: string) => host.attempt(host.api.pullModel({ name }));
  const cancel = (name: string) => host.attempt(host.api.cancelPull({ name }));

  const pullOf = (name: string) => pulls.value.find((one) => one.name === name);
  const isInstalled = (name: string) => findModel(models.value.models, name) !== undefined;

  return { pulls, suggestions, start, suggest, pull, cancel, pullOf, isInstalled };
}
