import type { InjectionKey, Ref } from 'vue';
import type { useModels } from '../composer/pickers/useModels';
import type { useSession } from '../sessions/useSession';
import { t } from '../translate';
import type { ChatHandle } from '../types';

export const planActionsKey: InjectionKey<ReturnType<typeof usePlan>> = Symbol('planActions');

export function usePlan(
  session: ReturnType<typeof useSession>,
  server: ReturnType<typeof useModels>,
  draft: Ref<string>,
  chat: Readonly<Ref<ChatHandle | null>>,
) {
  /** Executes the plan in Agent mode with the model selected for this mode. */
  async function start(seq: number): Promise<void> {
    await server.selectMode('agent');
    const isStarted = await session.startPlan(seq, server.models.value.selected['agent'] ?? null);
    if (isStarted) chat.value?.toEnd();
    chat.value?.focus();
  }

  async function change(): Promise<void> {
    await server.selectMode('plan');
    if (draft.value.trim() === '') draft.value = `${t('Change the plan:')} `;
    chat.value?.focus();
  }

  return { start, change };
}
