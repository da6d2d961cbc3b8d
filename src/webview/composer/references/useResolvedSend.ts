import { computed, onScopeDispose, ref, watch } from 'vue';
import { t } from '../../translate';
import type { useReferences } from './useReferences';

/** Maximum milliseconds that sending waits for typed references. */
const limit = 5000;
/** Milliseconds of waiting before the view shows it. */
const quiet = 400;

interface Surroundings {
  draft: () => string;
  /** Returns a promise for whether the running search finds entries to list, or null if no search is running. */
  searched: () => Promise<boolean> | null;
  send: () => void;
}

/**
 * Sends a message after its typed references are attached. The wait ends after a time limit, or when the user edits the
 * draft or cancels.
 */
export function useResolvedSend(
  references: Pick<ReturnType<typeof useReferences>, 'resolve' | 'unknown' | 'hasNew' | 'giveUp'>,
  { draft, searched, send }: Surroundings,
) {
  /** Number of the attempt that is waiting. Null if none is waiting. */
  let waiting: number | null = null;
  let attempts = 0;
  /** Search that did not finish in time for an earlier attempt. */
  let late: Promise<boolean> | null = null;
  const isShown = ref(false);
  const hint = computed(() => (isShown.value ? t('Looking up references… Press Esc to cancel sending.') : null));

  /** Sends the message, unless a reference was just found to be unknown or the list just found matches. */
  async function sendResolved(): Promise<void> {
    const running = searched();
    const search = running === late ? null : running;
    if (search === null && !references.hasNew()) {
      send();
      return;
    }
    if (waiting !== null) return;
    const mine = (attempts += 1);
    const reported = new Set(references.unknown.value);
    waiting = mine;
    const timer = setTimeout(() => (isShown.value = waiting === mine), quiet);
    const end = deadline(limit);
    try {
      const hasMatches = await Promise.race([search, end.over]);
      if (waiting !== mine || hasMatches === true) return;
      await Promise.race([references.resolve(), end.over]);
      if (waiting !== mine) return;
      references.giveUp();
      late = searched();
      if (references.unknown.value.every((text) => reported.has(text))) send();
    } finally {
      clearTimeout(timer);
      end.clear();
      if (waiting === mine) cancel();
    }
  }

  /** Cancels a waiting attempt. Returns false if there is none. */
  function cancel(): boolean {
    const isWaiting = waiting !== null;
    waiting = null;
    isShown.value = false;
    return isWaiting;
  }

  watch(draft, cancel, { flush: 'sync' });
  onScopeDispose(cancel);
  return { hint, sendResolved, cancel };
}

function deadline(milliseconds: number): { over: Promise<null>; clear: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), milliseconds)));
  return { over, clear: () => clearTimeout(timer) };
}
