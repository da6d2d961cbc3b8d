import { computed, onBeforeUnmount, onMounted, watch, type Ref } from 'vue';
import type { ChatHandle } from '../types';
import type { useSession } from '../sessions/useSession';
import type { Timeline } from '../../protocol/timeline';
import { isSevere } from './tools/severityText';
import { waitingApproval } from './useAnnouncements';

/** Handles keys regardless of the focus. Open menus get their keys first. */
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
      const { severity, sandbox } = waiting.value;
      // No key approves a command that is skipped by default or that runs outside the sandbox.
      if (!isSevere(severity) && sandbox === undefined && isMeant(event)) void session.decide(waiting.value.approvalId, true);
    } else if (isMessageKey(event)) {
      event.preventDefault();
      void chat.value?.toMessage(event.key === 'ArrowUp' ? -1 : 1);
    } else if (event.key === 'Escape' && session.isRunning.value) {
      event.preventDefault();
      // A held key skips one approval. It must not also stop the run.
      if (!event.repeat) void session.stop();
    }
  }

  onMounted(() => document.addEventListener('keydown', onKey));
  onBeforeUnmount(() => document.removeEventListener('keydown', onKey));
}

/** Returns true for Ctrl+↑ and Ctrl+↓. Text fields use ⌘ with the arrow keys themselves. */
function isMessageKey({ key, ctrlKey, metaKey, shiftKey, altKey, target }: KeyboardEvent): boolean {
  if ((key !== 'ArrowUp' && key !== 'ArrowDown') || shiftKey || altKey) return false;
  return ctrlKey || (metaKey && !(target instanceof HTMLTextAreaElement));
}

/** Milliseconds before a key can approve a new command, so that the user has time to read it. */
const readingTime = 500;

/** Tracks the visible approval. Ignores held keys, and keys that were pressed for the previous approval. */
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
