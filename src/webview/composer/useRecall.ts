import { nextTick, type Ref } from 'vue';

interface Field {
  caret: () => number;
  moveCaret: (at: number) => Promise<void>;
}

/** -1: an earlier message. 1: a later one, and at last the empty field. */
export type RecallStep = -1 | 1;

/** Recalls earlier messages with ↑ and ↓ in an empty field, or one with a recalled text that was not edited. */
export function useRecall(draft: () => string, field: Readonly<Ref<Field | null>>, recall: (step: RecallStep) => void) {
  let recalled = '';

  async function onArrow(event: KeyboardEvent): Promise<void> {
    const step = event.key === 'ArrowUp' ? -1 : 1;
    if (event.isComposing || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const text = draft();
    if (text === '' ? step === 1 : text !== recalled) return;
    const caret = field.value?.caret() ?? 0;
    // Elsewhere in a text, the arrows move the caret.
    if (caret !== 0 && (step === -1 || caret !== text.length)) return;
    event.preventDefault();
    recall(step);
    await nextTick();
    recalled = draft();
    // At the start, a second ↑ goes on to the message before.
    await field.value?.moveCaret(step === -1 ? 0 : recalled.length);
  }

  return onArrow;
}
