import { computed, shallowRef, type Ref } from 'vue';
import type { StateStore } from '../host';

interface Kept {
  drafts: Readonly<Record<string, string>>;
}

/** What a person has typed and not sent, one text per session; it survives a reload of the view. */
export function useComposer(store: StateStore, sessionId: Ref<string | null>) {
  const kept = shallowRef<Kept>(parse(store.read()));
  const key = computed(() => sessionId.value ?? '');

  const draft = computed({
    get: () => kept.value.drafts[key.value] ?? '',
    set: (text: string) => write(key.value, text),
  });

  function write(of: string, text: string): void {
    const others = Object.entries(kept.value.drafts).filter(([id]) => id !== of);
    kept.value = { drafts: Object.fromEntries(text === '' ? others : [...others, [of, text]]) };
    const state = store.read();
    store.write({ ...(typeof state === 'object' ? state : {}), ...kept.value });
  }

  /** Puts words back that could not be sent, before whatever has been typed there since. */
  function giveBack(of: string | null, text: string): void {
    const since = kept.value.drafts[of ?? ''] ?? '';
    write(of ?? '', since === '' ? text : `${text}\n\n${since}`);
  }

  /** A session that is gone leaves its draft to an empty chat. */
  function handOver(of: string): void {
    const text = kept.value.drafts[of] ?? '';
    write(of, '');
    if (text !== '') giveBack(null, text);
  }

  return { draft, giveBack, handOver };
}

function parse(state: unknown): Kept {
  const drafts = typeof state === 'object' && state !== null && 'drafts' in state ? state.drafts : null;
  if (typeof drafts !== 'object' || drafts === null) return { drafts: {} };
  const texts = Object.entries(drafts).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return { drafts: Object.fromEntries(texts) };
}
