import { nextTick, type Ref } from 'vue';

interface Field {
  caret: () => number;
  moveCaret: (at: number) => Promise<void>;
}

/** Direction of the step. -1 selects an earlier message. 1 selects a later message, or the empty field after the last one. */
export type RecallStep = -1 | 1;

/** Recalls earlier messages with ↑ and ↓. Works if the field is empty or contains a recalled text without edits. */
export function useRecall(draft: () => string, field: Readonly<Ref<Field | null>>, recall: (step: RecallStep) => void) {
  let recalled = '';

  async function onArrow(event: KeyboardEvent): Promise<void> {
    const step = event.key === 'ArrowUp' ? -1 : 1;
    if (event.isComposing || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const text = draft();
    if (text === '' ? step === 1 : text !== recalled) return;
    const caret = field.value?.caret() ?? 0;
    // In a text with several lines, the arrows first move the caret to the first or last line.
    if ((step === -1 ? text.slice(0, caret) : text.slice(caret)).includes('\n')) return;
    event.preventDefault();
    recall(step);
    await nextTick();
    recalled = draft();
    // After ↓, the caret is at the end of the text. After ↑, it is on the first line, so
    // that another ↑ recalls the previous message.
    await field.value?.moveCaret(step === -1 ? endOfFirstLine(recalled) : recalled.length);
  }

  return onArrow;
}

function endOfFirstLine(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}
