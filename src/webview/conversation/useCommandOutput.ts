import { computed, type InjectionKey, type Ref } from 'vue';
import type { CommandOutput } from '../../protocol/requests/runningCommands';
import type { Host } from '../common/useHost';
import { useSessionResource } from '../common/useSessionResource';

export const commandOutputKey: InjectionKey<ReturnType<typeof useCommandOutput>> = Symbol('commandOutput');

/** Returns the output of the running commands in the shown session, by tool call. */
export function useCommandOutput(host: Host, sessionId: Ref<string | null>) {
  const { value } = useSessionResource<readonly CommandOutput[], 'commandOutput'>(host, sessionId, {
    empty: [],
    read: async (id) => (await host.api.listCommandOutput({ sessionId: id })).outputs,
    event: 'commandOutput',
    fromEvent: (event) => event.outputs,
  });
  return computed(() => new Map(value.value.map((printed) => [printed.callId, printed])));
}
