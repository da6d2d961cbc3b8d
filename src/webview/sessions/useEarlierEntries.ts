import { ref } from 'vue';
import type { SessionSync } from './sessionSync';

interface Session {
  /** Returns the log of the open session, or null if none is open. */
  sync: () => SessionSync | null;
  /** Returns the `seq` of the first turn shown. */
  firstShown: () => number | undefined;
  publish: () => void;
  fail: (error: unknown) => void;
}

/** Loads earlier entries of the open session. Stops if another session is opened meanwhile. */
export function useEarlierEntries({ sync, firstShown, publish, fail }: Session) {
  const hasEarlier = ref(false);
  const isLoadingEarlier = ref(false);

  /** Loads earlier turns, except for turns that a rewind removed. */
  async function loadEarlier(): Promise<void> {
    const asked = sync();
    if (asked === null || isLoadingEarlier.value) return;
    isLoadingEarlier.value = true;
    const first = firstShown();
    try {
      for (let from = 0; hasEarlier.value && firstShown() === first && from !== asked.log.firstSeq;) {
        from = asked.log.firstSeq;
        await asked.loadEarlier();
        if (sync() !== asked) return;
        publish();
      }
    } catch (error) {
      fail(error);
    } finally {
      if (sync() === asked) isLoadingEarlier.value = false;
    }
  }

  /** Loads entries back to `seq`, if possible. */
  async function loadThrough(seq: number): Promise<void> {
    const asked = sync();
    if (asked === null) return;
    try {
      for (let from = 0; asked.log.firstSeq > seq && from !== asked.log.firstSeq;) {
        from = asked.log.firstSeq;
        await asked.loadEarlier();
        if (sync() !== asked) return;
      }
      publish();
    } catch (error) {
      fail(error);
    }
  }

  return { hasEarlier, isLoadingEarlier, loadEarlier, loadThrough };
}
