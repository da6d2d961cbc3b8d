import { computed, shallowReactive, watch } from 'vue';
import type { AttachmentRef } from '../../../protocol/entries';
import { t } from '../../translate';
import { itemNamed, referencesIn } from '../mentions';
import { useMentionsHandle } from '../useMentions';

interface Surroundings {
  draft: () => string;
  hasSelection: () => boolean;
  /** Attaches an item; null is the selection. */
  attach: (item: AttachmentRef | null) => void;
}

/** Attaches references that are typed, not chosen from the list, and reports those that name nothing. */
export function useReferences({ draft, hasSelection, attach }: Surroundings) {
  const mentions = useMentionsHandle();
  /** Handled references of the draft by their text. */
  const states = shallowReactive(new Map<string, 'attached' | 'unknown'>());
  const lookups = new Map<string, Promise<void>>();

  const isNew = ({ text }: { text: string }) => !states.has(text);
  const unknown = computed(() => referencesIn(draft()).find(({ text }) => states.get(text) === 'unknown')?.text ?? null);
  const notice = computed(() => {
    if (unknown.value === null) return null;
    return /^#selection$/i.test(unknown.value)
      ? t('{0} is not attached: nothing is selected in the editor.', unknown.value)
      : t('{0} is not attached: no single match. Choose an entry from the list.', unknown.value);
  });

  watch(draft, (now) => {
    const texts = new Set(referencesIn(now).map(({ text }) => text));
    for (const text of states.keys()) if (!texts.has(text)) states.delete(text);
  });

  async function find(reference: ReturnType<typeof referencesIn>[number]): Promise<void> {
    const { text, typed } = reference;
    let { item } = reference;
    if (item === undefined) item = itemNamed((await mentions?.complete(typed.kind, typed.query)) ?? [], typed.query);
    else if (item === null && !hasSelection()) item = undefined;
    const isTyped = referencesIn(draft()).some((other) => other.text === text);
    if (!isTyped || states.has(text)) return;
    states.set(text, item === undefined ? 'unknown' : 'attached');
    if (item !== undefined) attach(item);
  }

  /** Attaches the new references of the draft. */
  async function resolve(): Promise<void> {
    const found = referencesIn(draft())
      .filter(isNew)
      .map((reference) => {
        const lookup = lookups.get(reference.text) ?? find(reference).finally(() => lookups.delete(reference.text));
        lookups.set(reference.text, lookup);
        return lookup;
      });
    await Promise.all(found);
  }

  return {
    notice,
    unknown,
    resolve,
    hasNew: () => referencesIn(draft()).some(isNew),
    /** Marks the reference at the end of a text, which was chosen from the list. */
    keep: (text: string) => {
      const chosen = referencesIn(text).at(-1);
      if (chosen !== undefined) states.set(chosen.text, 'attached');
    },
  };
}
