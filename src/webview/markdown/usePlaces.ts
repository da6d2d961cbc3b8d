import { inject, ref, type InjectionKey, type Ref } from 'vue';
import type { FileLocation } from '../types';
import type { Host } from '../common/useHost';

/** Files that answers name, as far as it is known whether they are there. */
interface Places {
  /** Grows when more is known. */
  version: Readonly<Ref<number>>;
  /** Returns the path of a file of the workspace; null while it is not known to be there, which is asked then. */
  find(path: string): string | null;
  open(place: FileLocation): void;
}

export const placesKey: InjectionKey<Places> = Symbol('places');

/** Returns null where there is no workspace to look in. */
export function usePlaces(): Places | null {
  return inject(placesKey, null);
}

/** Milliseconds in which questions are put together, paths of one question, and paths that are remembered. */
const [pause, atOnce, most] = [50, 200, 5000];

export function createPlaces(host: Host): Places {
  const version = ref(0);
  const known = new Map<string, string | null>();
  const asked = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function ask(): Promise<void> {
    timer = undefined;
    const paths = [...asked].slice(0, atOnce);
    for (const path of paths) asked.delete(path);
    if (asked.size > 0) timer = setTimeout(() => void ask(), pause);
    // What cannot be looked up is no link, and a link is all that is lost.
    const answer = await host.api.findFiles({ paths }).catch(() => null);
    if (known.size > most) known.clear();
    paths.forEach((path, index) => known.set(path, answer?.found[index] ?? null));
    if (answer?.found.some((path) => path !== null)) version.value += 1;
  }

  function find(path: string): string | null {
    const found = known.get(path);
    if (found !== undefined) return found;
    asked.add(path);
    timer ??= setTimeout(() => void ask(), pause);
    return null;
  }

  // A run may have made what was not there.
  host.on('runState', ({ state }) => {
    if (state === 'running') return;
    for (const [path, found] of known) if (found === null) known.delete(path);
    version.value += 1;
  });

  return { version, find, open: (place) => void host.attempt(host.api.openFile(place)) };
}
