import { shallowRef, watch, type Ref } from 'vue';
import type { BackgroundCommand } from '../../protocol/webviewEvents';
import type { Host } from '../common/useHost';

/** The commands of the shown session that run in the background. */
export function useBackground(host: Host, sessionId: Ref<string | null>) {
  const commands = shallowRef<readonly BackgroundCommand[]>([]);
  /** What is told by itself is newer than what was asked for before it. */
  let told = 0;

  async function refresh(): Promise<void> {
    const id = sessionId.value;
    if (id === null) return;
    const before = told;
    const answer = await host.attempt(host.api.listBackground({ sessionId: id }));
    if (answer !== undefined && told === before) commands.value = answer.commands;
  }

  async function stop(id: string): Promise<void> {
    if (sessionId.value !== null) await host.attempt(host.api.stopBackground({ sessionId: sessionId.value, id }));
  }

  watch(sessionId, () => {
    told += 1;
    commands.value = [];
    void refresh();
  });
  host.on('background', (event) => {
    if (event.sessionId !== sessionId.value) return;
    told += 1;
    commands.value = event.commands;
  });

  return { commands, stop };
}
