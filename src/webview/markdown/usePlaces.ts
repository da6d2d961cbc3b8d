import { inject, onBeforeUnmount, ref, watch, type InjectionKey, type Ref } from 'vue';
import type { FileLocation } from '../types';
import type { Host } from '../common/useHost';
import type { PlaceFinder } from './decorate';

/** Finds files and symbols that answers mention. Looks up unknown names. */
interface Places extends PlaceFinder {
  /** Version number that increases when more names are known. */
  version: Readonly<Ref<number>>;
  /** Opens a location, or the current definition of a symbol. */
  open(place: FileLocation, symbol?: string): void;
  /** Delays symbol lookups while an answer grows, so that they are sent together. Returns a function that ends the delay. */
  hold(): () => void;
}

export const placesKey: InjectionKey<Places> = Symbol('places');

/** Returns null without a workspace. */
export function usePlaces(): Places | null {
  return inject(placesKey, null);
}

/** Returns the finder for a text that can still grow. */
export function useHeldPlaces(isOpen: () => boolean): Places | null {
  const places = usePlaces();
  let release: (() => void) | undefined;
  watch(
    isOpen,
    (isGrowing) => {
      release?.();
      release = isGrowing ? places?.hold() : undefined;
    },
    { immediate: true },
  );
  onBeforeUnmount(() => release?.());
  return places;
}

/** Milliseconds during which names are collected. */
const pause = 50;
/** Maximum names per request. */
const atOnce = 200;
/** Maximum number of cached names. */
const most = 5000;

export function createPlaces(host: Host): Places {
  const version = ref(0);
  const onFound = () => (version.value += 1);
  const files = new Lookups<string>((paths) => host.api.findFiles({ paths }), onFound);
  const symbols = new Lookups<FileLocation>((names) => host.api.findSymbols({ names }), onFound);

  // A run may have created missing files.
  host.on('runState', ({ state }) => {
    if (state === 'running') return;
    for (const lookups of [files, symbols]) lookups.forgetMissing();
    version.value += 1;
  });

  async function open(place: FileLocation, symbol?: string): Promise<void> {
    // Lines may have moved since the answer was rendered.
    const now = symbol === undefined ? undefined : await host.api.findSymbols({ names: [symbol] }).catch(() => undefined);
    await host.attempt(host.api.openFile(now?.found[0] ?? place));
  }

  return {
    version,
    file: (path) => files.find(path),
    symbol: (name) => symbols.find(name),
    open: (place, symbol) => void open(place, symbol),
    hold: () => symbols.hold(),
  };
}

/** Looks up names in batches and caches the results. */
class Lookups<T> {
  private readonly known = new Map<string, T | null>();
  private readonly asked = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private holders = 0;

  constructor(
    private readonly ask: (names: string[]) => Promise<{ found: readonly (T | null)[] }>,
    private readonly onFound: () => void,
  ) {}

  /** Returns the result for a name. Returns null while it is unknown. */
  find(name: string): T | null {
    const found = this.known.get(name);
    if (found !== undefined) return found;
    this.asked.add(name);
    this.begin();
    return null;
  }

  hold(): () => void {
    this.holders += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.holders -= 1;
      this.begin();
    };
  }

  forgetMissing(): void {
    for (const [name, found] of this.known) if (found === null) this.known.delete(name);
  }

  private begin(): void {
    if (this.holders === 0 && this.asked.size > 0) this.timer ??= setTimeout(() => void this.next(), pause);
  }

  private async next(): Promise<void> {
    this.timer = undefined;
    if (this.holders > 0) return;
    const names = [...this.asked].slice(0, atOnce);
    for (const name of names) this.asked.delete(name);
    this.begin();
    // If a lookup fails, only a link is missing.
    const { found } = await this.ask(names).catch(() => ({ found: [] as (T | null)[] }));
    if (this.known.size > most) this.known.clear();
    names.forEach((name, index) => this.known.set(name, found[index] ?? null));
    if (found.some((one) => one !== null)) this.onFound();
  }
}
