import { shallowRef } from 'vue';
import type { HostResult } from '../../protocol/hostApi';
import type { PullState } from '../../protocol/webviewEvents';
import type { Host } from './useHost';

/** Models that are being fetched, and those worth fetching. */
export function usePulls(host: Host) {
  const pulls = shallowRef<PullState[]>([]);
  const suggestions = shallowRef<HostResult<'suggestModels'>>({ suggestions: [], memory: null });

  host.on('pulls', (state) => (pulls.value = state));

  function start(ready: HostResult<'ready'>): void {
    pulls.value = ready.pulls;
  }

  async function suggest(): Promise<void> {
    suggestions.value = (await host.attempt(host.api.suggestModels({}))) ?? suggestions.value;
  }

  const pull = (name: string) => host.attempt(host.api.pullModel({ name }));
  const cancel = (name: string) => host.attempt(host.api.cancelPull({ name }));

  return { pulls, suggestions, start, suggest, pull, cancel };
}
