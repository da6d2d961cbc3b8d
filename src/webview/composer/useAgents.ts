import { computed, ref, shallowRef, type InjectionKey } from 'vue';
import { z } from 'zod';
import type { AttachmentRef } from '../../protocol/entries';
import type { AgentOfWorkspace, Handoff } from '../../protocol/requests/messageRequests';
import { keep, asRecord, type StateStore } from '../hostConnection';
import type { Host } from '../common/useHost';

export const agentsKey: InjectionKey<ReturnType<typeof useAgents>> = Symbol('agents');

/** Tracks the agents of the workspace and the selected agent. The selection survives a reload. */
export function useAgents(host: Host, store: StateStore) {
  const agents = shallowRef<readonly AgentOfWorkspace[]>([]);
  const chosenName = ref(
    z
      .string()
      .nullable()
      .catch(null)
      .parse(asRecord(store.read())['agent'] ?? null),
  );
  /** A model that the user picks overrides the one in the agent's file. */
  const isModelPicked = ref(false);
  const chosen = computed(() => agents.value.find(({ name }) => name === chosenName.value) ?? null);
  const isChosen = computed(() => chosenName.value !== null);
  const attached = computed((): AttachmentRef[] => (chosen.value === null ? [] : [{ kind: 'agent', path: chosen.value.name }]));

  async function refresh(): Promise<void> {
    agents.value = (await host.attempt(host.api.listAgents({})))?.agents ?? agents.value;
  }

  function choose(name: string | null): void {
    chosenName.value = name;
    isModelPicked.value = false;
    keep(store, { agent: name });
  }

  /** Returns the agent's model if the server has it and the user selected no other model. */
  function modelAmong(names: readonly string[]): string | null {
    const wanted = isModelPicked.value ? null : (chosen.value?.model ?? null);
    return names.find((name) => name === wanted || name === `${wanted ?? ''}:latest`) ?? null;
  }

  function listHandoffs(name: string): readonly Handoff[] {
    return agents.value.find((agent) => agent.name === name)?.handoffs ?? [];
  }

  return { agents, chosen, isChosen, attached, isModelPicked, refresh, choose, modelAmong, handoffsOf: listHandoffs };
}
