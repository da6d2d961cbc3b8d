import type { InjectionKey, Ref } from 'vue';
import { keep, asRecord, type StateStore } from '../hostConnection';

/** Scroll position: a turn, and how many of its pixels are above the top of the view. */
export interface ScrollPlace {
  turn: number;
  above: number;
}

/** Stores the scroll position of the last scrolled session across reloads. */
export interface ScrollPlaces {
  /** Returns the scroll position. Returns null if the session opens at its end. */
  of(sessionId: string): ScrollPlace | null;
  keep(sessionId: string, place: ScrollPlace | null): void;
}

export const scrollPlacesKey: InjectionKey<ScrollPlaces> = Symbol('scroll places');

export function createScrollPlaces(store: StateStore): ScrollPlaces {
  return {
    of(sessionId) {
      const kept = asRecord(asRecord(store.read())['scrollPlace']);
      const { turn, above } = kept;
      return kept['sessionId'] === sessionId && typeof turn === 'number' && typeof above === 'number' ? { turn, above } : null;
    },
    keep: (sessionId, place) => keep(store, { scrollPlace: place === null ? null : { sessionId, ...place } }),
  };
}

/** Minimum milliseconds between two writes of the position. */
const pause = 100;

/**
 * Stores the session's position at the first scroll event and while scrolling continues, because the view can be
 * hidden at any moment. `flush` stores the position at once.
 */
export function useScrollPlace(
  places: ScrollPlaces | null,
  scroller: Ref<HTMLElement | null>,
  current: () => { sessionId: string; isFollowing: boolean },
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isMoved = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!isMoved) return;
    isMoved = false;
    const { sessionId, isFollowing } = current();
    if (sessionId !== '') places?.keep(sessionId, isFollowing ? null : placeIn(scroller.value));
  }

  function onScrolled(): void {
    isMoved = true;
    if (timer !== undefined) return;
    flush();
    timer = setTimeout(flush, pause);
  }

  return { onScrolled, flush };
}

function placeIn(scroller: HTMLElement | null): ScrollPlace | null {
  if (scroller === null) return null;
  const { top } = scroller.getBoundingClientRect();
  for (const turn of scroller.querySelectorAll<HTMLElement>('[data-turn]')) {
    const place = turn.getBoundingClientRect();
    if (place.bottom > top) return { turn: Number(turn.dataset['turn']), above: Math.round(top - place.top) };
  }
  return null;
}
