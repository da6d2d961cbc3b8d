import { computed, type InjectionKey, type Ref } from 'vue';
import type { BackgroundCommand } from '../../../protocol/requests/runningCommands';
import type { Host } from '../../common/useHost';
import { useSessionResource } from '../../common/useSessionResource';

export const backgroundKey: InjectionKey<ReturnType<typeof useBackground>> = Symbol('background');

export function useBackground(host: Host, sessionId: Ref<string | null>) {
  const { value: listed } = useSessionResource<readonly BackgroundCommand[], 'background'>(host, sessionId, {
    empty: [],
    read: async (id) => (await host.api.listBackground({ sessionId: id })).commands,
    event: 'background',
    fromEvent: (event) => event.commands,
  });

  /** Commands that are still running. */
  const commands = computed(() => listed.value.filter(({ isStopped }) => isStopped !== true));

  async function stop(id: string): Promise<void> {
    if (sessionId.value !== null) await host.attempt(host.api.stopBackground({ sessionId: sessionId.value, id }));
  }

  return { commands, listed, stop };
}
