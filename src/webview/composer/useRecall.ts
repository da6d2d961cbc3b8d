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
    // In a text of several lines, the arrows first move the caret to the first or the last line.
    if ((step === -1 ? text.slice(0, caret) : text.slice(caret)).includes('\n')) return;
    event.preventDefault();
    recall(step);
    await nextTick();
    recalled = draft();
    // The text is ready to be continued, and on its first line a second ↑ recalls the message before.
    await field.value?.moveCaret(step === -1 ? endOfFirstLine(recalled) : recalled.length);
  }

  return onArrow;
}

function endOfFirstLine(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}
