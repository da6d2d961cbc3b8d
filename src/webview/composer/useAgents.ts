import { computed, ref, shallowRef, type InjectionKey } from 'vue';
import { z } from 'zod';
import type { AttachmentRef } from '../../protocol/entries';
import type { AgentOfWorkspace, Handoff } from '../../protocol/requests/messageRequests';
import { keep, recordOf, type StateStore } from '../hostConnection';
import type { Host } from '../common/useHost';

export const agentsKey: InjectionKey<ReturnType<typeof useAgents>> = Symbol('agents');

/** Follows the agents that the workspace describes, and the one that a person has chosen; the choice survives a reload of the view. */
export function useAgents(host: Host, store: StateStore) {
  const agents = shallowRef<readonly AgentOfWorkspace[]>([]);
  const chosenName = ref(
    z
      .string()
      .nullable()
      .catch(null)
      .parse(recordOf(store.read())['agent'] ?? null),
  );
  /** A model that was picked for it goes before the one that its file names. */
  const isModelPicked = ref(false);
  const chosen = computed(() => agents.value.find(({ name }) => name === chosenName.value) ?? null);
  const isChosen = computed(() => chosenName.value !== null);
  /** Attachment that names the agent in a message. */
  const attached = computed((): AttachmentRef[] => (chosen.value === null ? [] : [{ kind: 'agent', path: chosen.value.name }]));

  async function refresh(): Promise<void> {
    agents.value = (await host.attempt(host.api.listAgents({})))?.agents ?? agents.value;
  }

  function choose(name: string | null): void {
    chosenName.value = name;
    isModelPicked.value = false;
    keep(store, { agent: name });
  }

  /** Returns the model that the chosen agent names, if the server has it and no other was picked. */
  function modelAmong(names: readonly string[]): string | null {
    const wanted = isModelPicked.value ? null : (chosen.value?.model ?? null);
    return names.find((name) => name === wanted || name === `${wanted ?? ''}:latest`) ?? null;
  }

  function handoffsOf(name: string): readonly Handoff[] {
    return agents.value.find((agent) => agent.name === name)?.handoffs ?? [];
  }

  return { agents, chosen, isChosen, attached, isModelPicked, refresh, choose, modelAmong, handoffsOf };
}
