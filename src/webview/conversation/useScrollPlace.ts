import type { InjectionKey, Ref } from 'vue';
import { keep, recordOf, type StateStore } from '../hostConnection';

/** Place that a person has scrolled to: a turn, and how many pixels of it are above the top of the view. */
export interface ScrollPlace {
  turn: number;
  above: number;
}

/** Keeps where the session that was scrolled last is scrolled to, over a reload of the view. */
export interface ScrollPlaces {
  /** Returns null for a session whose end is shown. */
  of(sessionId: string): ScrollPlace | null;
  keep(sessionId: string, place: ScrollPlace | null): void;
}

export const scrollPlacesKey: InjectionKey<ScrollPlaces> = Symbol('scroll places');

export function createScrollPlaces(store: StateStore): ScrollPlaces {
  return {
    of(sessionId) {
      const kept = recordOf(recordOf(store.read())['scrollPlace']);
      const { turn, above } = kept;
      return kept['sessionId'] === sessionId && typeof turn === 'number' && typeof above === 'number' ? { turn, above } : null;
    },
    keep: (sessionId, place) => keep(store, { scrollPlace: place === null ? null : { sessionId, ...place } }),
  };
}

/** Milliseconds without a scroll before its place is kept. */
const rest = 100;

/** Keeps the place of the session while it is scrolled. `flush` keeps it at once. */
export function useScrollPlace(
  places: ScrollPlaces | null,
  scroller: Ref<HTMLElement | null>,
  current: () => { sessionId: string; isFollowing: boolean },
) {
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const { sessionId, isFollowing } = current();
    if (sessionId !== '') places?.keep(sessionId, isFollowing ? null : placeIn(scroller.value));
  }

  function onScrolled(): void {
    clearTimeout(timer);
    timer = setTimeout(flush, rest);
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
