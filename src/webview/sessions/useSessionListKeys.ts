import { nextTick, ref, type Ref } from 'vue';
import { nextIndex } from '../common/listNavigation';

type Action = 'rename' | 'remove' | 'menu';

/**
 * Handles the keys of the session list, which is a single tab stop. Arrows, Home, End and letters move the focus.
 * F2 renames, Delete deletes, Shift+F10 opens the menu.
 */
export function useSessionListKeys(list: Ref<HTMLElement | null>, titles: () => string[], act: (action: Action) => void) {
  const active = ref(0);
  let typed = '';
  let typedAt = 0;

  async function focus(index: number): Promise<void> {
    active.value = Math.max(0, Math.min(index, titles().length - 1));
    await nextTick();
    list.value?.querySelectorAll<HTMLElement>('.open')[active.value]?.focus();
  }

  function onKey(event: KeyboardEvent): void {
    const action = toAction(event);
    if (action !== null) {
      event.preventDefault();
      act(action);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.timeStamp - typedAt > 700) typed = '';
    if (event.key.length === 1) {
      typed += event.key;
      typedAt = event.timeStamp;
    }
    if (event.key === ' ' && typed === ' ') return;
    const next = nextIndex(titles(), active.value, event.key, typed);
    if (next === null) return;
    event.preventDefault();
    void focus(next);
  }

  return { active, focus, onKey };
}

function toAction({ key, shiftKey, metaKey, ctrlKey, altKey }: KeyboardEvent): Action | null {
  if (altKey || ctrlKey) return null;
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return 'menu';
  if (key === 'F2') return 'rename';
  return key === 'Delete' || (key === 'Backspace' && metaKey) ? 'remove' : null;
}
