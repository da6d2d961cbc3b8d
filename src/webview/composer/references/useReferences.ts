import { computed, shallowReactive, watch } from 'vue';
import type { AttachmentRef } from '../../../protocol/entries';
import { t } from '../../translate';
import { itemKey } from '../chipText';
import { itemNamed } from '../mentions';
import { useMentionsHandle } from '../useMentions';
import { referencesIn, type TypedReference } from './referencesIn';

interface Surroundings {
  draft: () => string;
  hasSelection: () => boolean;
  /** Attaches an item. Null attaches the selection. */
  attach: (item: AttachmentRef | null) => void;
  attached: () => readonly AttachmentRef[];
  detach: (item: AttachmentRef) => void;
}

/** Reason why nothing is attached. `late`: the search has not finished yet. */
type Unknown = 'nothing' | 'several' | 'selection' | 'foreign' | 'late';

/** State of a reference. If the state is `attached`, the item was attached only because of this reference. */
type Reference = { state: 'unknown'; why: Unknown } | { state: 'attached'; item: AttachmentRef | null };

/** Attaches references that the user types without the list. Reports references that match no item. */
export function useReferences({ draft, hasSelection, attach, attached, detach }: Surroundings) {
  const mentions = useMentionsHandle();
  /** References in the draft that were already handled, by text. */
  const states = shallowReactive(new Map<string, Reference>());
  const lookups = new Map<string, Promise<void>>();

  /** Returns true for a reference that is not handled yet. Includes a reference to the selection if the user selects text later. */
  const isNew = ({ text, item }: TypedReference) =>
    !states.has(text) || (whyUnknown(text) === 'selection' && item === null && hasSelection());
  const newReferences = () => referencesIn(draft()).filter(isNew);
  const unknown = computed(() => {
    const texts = referencesIn(draft()).filter((reference) => !isNew(reference));
    return [...new Set(texts.map(({ text }) => text))].filter((text) => whyUnknown(text) !== null);
  });
  const notice = computed(() => unknown.value.map((text) => describeUnknown(text, whyUnknown(text))).join(' ') || null);

  watch(draft, (now) => {
    const texts = new Set(referencesIn(now).map(({ text }) => text));
    for (const text of states.keys()) if (!texts.has(text)) states.delete(text);
  });

  function whyUnknown(text: string): Unknown | null {
    const reference = states.get(text);
    return reference?.state === 'unknown' ? reference.why : null;
  }

  async function find(reference: TypedReference): Promise<void> {
    const { text, typed, isForeign } = reference;
    let { item } = reference;
    let why: Unknown = isForeign ? foreignReason(text) : 'selection';
    if (item === undefined && !isForeign) {
      const matches = (await mentions?.complete(typed.kind, typed.query)) ?? [];
      why = matches.length > 0 ? 'several' : 'nothing';
      item = itemNamed(matches, typed.query);
    } else if (item === null && !hasSelection()) item = undefined;
    const now = referencesIn(draft()).find((other) => other.text === text);
    if (now === undefined || !(isNew(now) || whyUnknown(text) === 'late')) return;
    if (item === undefined) {
      states.set(text, { state: 'unknown', why });
      return;
    }
    const isOwn = item !== null && !attached().some((other) => itemKey(other) === itemKey(item));
    states.set(text, { state: 'attached', item: isOwn ? item : null });
    attach(item);
  }

  /** Detaches items if the user removed their last typed reference from the draft. */
  function release(now: string): void {
    const texts = new Set(referencesIn(now).map(({ text }) => text));
    for (const [text, reference] of states)
      if (!texts.has(text) && reference.state === 'attached' && reference.item !== null) detach(reference.item);
  }

  /** Attaches the new references of the draft. */
  async function resolve(): Promise<void> {
    const found = newReferences().map((reference) => {
      const lookup = lookups.get(reference.text) ?? find(reference).finally(() => lookups.delete(reference.text));
      lookups.set(reference.text, lookup);
      return lookup;
    });
    await Promise.all(found);
  }

  /** Attaches an item selected from the list. Its text is at the end of `text`. */
  function choose(text: string, item: AttachmentRef | null): void {
    const written = referencesIn(text).at(-1);
    const chosen = written?.typed.end === text.trimEnd().length ? written.text : null;
    const isMissing = item === null && !hasSelection();
    if (chosen !== null)
      states.set(chosen, isMissing ? { state: 'unknown', why: 'selection' } : { state: 'attached', item: null });
    if (!isMissing) attach(item);
  }

  return {
    notice,
    /** References that match no item. */
    unknown,
    resolve,
    release,
    choose,
    hasNew: () => newReferences().length > 0,
    /** Reports references whose search has not finished. A late result is still used. */
    giveUp: () => {
      for (const { text } of newReferences()) states.set(text, { state: 'unknown', why: 'late' });
    },
  };
}

/** Joins the notices above the message. If an item is missing, the last sentence says how to send anyway. */
export function joinNotices(answering: string | null, ...missing: (string | null)[]): string | null {
  const isAnyMissing = missing.some((text) => text !== null);
  const texts = [answering, ...missing, isAnyMissing ? t('Press Enter again to send anyway.') : null];
  return texts.filter((text) => text !== null).join(' ') || null;
}

/** `#file` may be the start of an unfinished reference. */
function foreignReason(text: string): Unknown {
  return /^#(?:file|folder|symbol)$/i.test(text) ? 'several' : 'foreign';
}

function describeUnknown(text: string, why: Unknown | null): string {
  switch (why) {
    case 'selection':
      return t('{0} is not attached: nothing is selected in the editor.', text);
    case 'several':
      return t('{0} is not attached: there is more than one match. Choose an entry from the list.', text);
    case 'foreign':
      return t('{0} is not attached: this reference does not exist here.', text);
    case 'late':
      return t('{0} is not attached because the search is taking too long.', text);
    default:
      return t('{0} is not attached: nothing has this name.', text);
  }
}
