import { computed, onBeforeUnmount, onMounted, watch, type Ref } from 'vue';
import type { ChatHandle } from '../types';
import type { useSession } from '../sessions/useSession';
import type { Timeline } from '../../protocol/timeline';
import { waitingApproval } from './useAnnouncements';

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
      if (waiting.value.severity !== 'critical' && isMeant(event)) void session.decide(waiting.value.approvalId, true);
    } else if (isMessageKey(event)) {
      event.preventDefault();
      void chat.value?.toMessage(event.key === 'ArrowUp' ? -1 : 1);
    } else if (event.key === 'Escape' && session.isRunning.value) {
      event.preventDefault();
      // A key held down on an approval card skips that card alone, and does not go on to stop the run.
      if (!event.repeat) void session.stop();
    }
  }

  onMounted(() => document.addEventListener('keydown', onKey));
  onBeforeUnmount(() => document.removeEventListener('keydown', onKey));
}

/** Tells whether a key is Ctrl+↑ or Ctrl+↓. With ⌘ a text field has its own use for them. */
function isMessageKey({ key, ctrlKey, metaKey, shiftKey, altKey, target }: KeyboardEvent): boolean {
  if ((key !== 'ArrowUp' && key !== 'ArrowDown') || shiftKey || altKey) return false;
  return ctrlKey || (metaKey && !(target instanceof HTMLTextAreaElement));
}

/** Milliseconds that a command is shown before a key may approve it: nobody reads it faster. */
const readingTime = 500;

/**
 * Tracks the approval that waits in view, and which keys are meant for it: not one held down, nor one pressed for what was there before.
 */
function useWaitingApproval(timeline: Ref<Timeline>, isInView: Ref<boolean>) {
  const waiting = computed(() => (isInView.value ? waitingApproval(timeline.value) : null));
  let shownAt = 0;
  watch(
    () => waiting.value?.approvalId,
    () => (shownAt = performance.now()),
    { flush: 'post' },
  );
  const isMeant = (event: KeyboardEvent) => !event.repeat && performance.now() - shownAt >= readingTime;
  return { waiting, isMeant };
}
