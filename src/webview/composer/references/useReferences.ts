import { computed, shallowReactive, watch } from 'vue';
import type { AttachmentRef } from '../../../protocol/entries';
import { t } from '../../translate';
import { itemKey } from '../chipText';
import { itemNamed, referencesIn } from '../mentions';
import { useMentionsHandle } from '../useMentions';

interface Surroundings {
  draft: () => string;
  hasSelection: () => boolean;
  /** Attaches an item; null is the selection. */
  attach: (item: AttachmentRef | null) => void;
  attached: () => readonly AttachmentRef[];
  detach: (item: AttachmentRef) => void;
}

/** Result for a reference. `unknown` matches several items or none. `item` was attached only because of this reference. */
type Reference = { state: 'unknown'; hasMatches: boolean } | { state: 'attached'; item: AttachmentRef | null };

/** Attaches references that are typed, not chosen from the list, and reports those that name nothing. */
export function useReferences({ draft, hasSelection, attach, attached, detach }: Surroundings) {
  const mentions = useMentionsHandle();
  /** Handled references of the draft by their text. */
  const states = shallowReactive(new Map<string, Reference>());
  const lookups = new Map<string, Promise<void>>();

  const isNew = ({ text }: { text: string }) => !states.has(text);
  const unknown = computed(() => referencesIn(draft()).find(({ text }) => states.get(text)?.state === 'unknown')?.text ?? null);
  const notice = computed(() => {
    if (unknown.value === null) return null;
    if (/^#selection$/i.test(unknown.value)) return t('{0} is not attached: nothing is selected in the editor.', unknown.value);
    const reference = states.get(unknown.value);
    return reference?.state === 'unknown' && reference.hasMatches
      ? t('{0} is not attached: no single match. Choose an entry from the list.', unknown.value)
      : t('{0} is not attached: nothing has this name. Press Enter again to send without it.', unknown.value);
  });

  watch(draft, (now) => {
    const texts = new Set(referencesIn(now).map(({ text }) => text));
    for (const text of states.keys()) if (!texts.has(text)) states.delete(text);
  });

  async function find(reference: ReturnType<typeof referencesIn>[number]): Promise<void> {
    const { text, typed } = reference;
    let { item } = reference;
    let hasMatches = false;
    if (item === undefined) {
      const matches = (await mentions?.complete(typed.kind, typed.query)) ?? [];
      hasMatches = matches.length > 0;
      item = itemNamed(matches, typed.query);
    } else if (item === null && !hasSelection()) item = undefined;
    const isTyped = referencesIn(draft()).some((other) => other.text === text);
    if (!isTyped || states.has(text)) return;
    if (item === undefined) {
      states.set(text, { state: 'unknown', hasMatches });
      return;
    }
    const isOwn = item !== null && !attached().some((other) => itemKey(other) === itemKey(item));
    states.set(text, { state: 'attached', item: isOwn ? item : null });
    attach(item);
  }

  /** Detaches items whose only typed references the user removed from the draft. */
  function release(now: string): void {
    const texts = new Set(referencesIn(now).map(({ text }) => text));
    for (const [text, reference] of states)
      if (!texts.has(text) && reference.state === 'attached' && reference.item !== null) detach(reference.item);
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
    release,
    hasNew: () => referencesIn(draft()).some(isNew),
    /** Marks the reference at the end of a text, which was chosen from the list. */
    keep: (text: string) => {
      const chosen = referencesIn(text).at(-1);
      if (chosen !== undefined) states.set(chosen.text, { state: 'attached', item: null });
    },
  };
}
