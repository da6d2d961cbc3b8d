import { onBeforeUnmount, onMounted, type Ref } from 'vue';
import { isMessageKey } from '../conversation/messageKey';
import type { ChatHandle } from '../types';
import type { useSession } from '../sessions/useSession';
import { useWaitingApproval } from '../conversation/questions/useWaitingApproval';

/** Keys that work wherever the focus is while the chat is in view; what is open handles its own first. */
export function useChatKeys(
  session: ReturnType<typeof useSession>,
  chat: Readonly<Ref<ChatHandle | null>>,
  isInView: Ref<boolean>,
): void {
  const { waiting, isMeant } = useWaitingApproval(session.timeline, isInView);

  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || !isInView.value) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      if (waiting.value === null) return;
      event.preventDefault();
      if (isMeant(event)) void session.decide(waiting.value.approvalId, true);
    } else if (isMessageKey(event)) {
      event.preventDefault();
      void chat.value?.toMessage(event.key === 'ArrowUp' ? -1 : 1);
    } else if (event.key === 'Escape' && session.isRunning.value) {
      event.preventDefault();
      void session.stop();
    }
  }

  onMounted(() => document.addEventListener('keydown', onKey));
  onBeforeUnmount(() => document.removeEventListener('keydown', onKey));
}
