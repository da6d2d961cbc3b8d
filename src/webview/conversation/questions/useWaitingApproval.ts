import { computed, watch, type Ref } from 'vue';
import type { Timeline } from '../../../protocol/timeline';
import { waitingApproval } from '../useAnnouncements';

/** How long a command is shown before a key may approve it: nobody reads it faster. */
const readingTime = 500;

/** The approval that waits in view, and which keys are meant for it: not one held down, nor one pressed for what was there before. */
export function useWaitingApproval(timeline: Ref<Timeline>, isInView: Ref<boolean>) {
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
