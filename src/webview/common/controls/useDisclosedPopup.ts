import { onBeforeUnmount, onMounted, ref, useId, type Ref } from 'vue';

/** Runs a popup that its button opens: Escape closes it and gives the focus back, a press outside closes it. */
export function useDisclosedPopup(root: Readonly<Ref<HTMLElement | null>>, button: Readonly<Ref<HTMLElement | null>>) {
  const id = useId();
  const isOpen = ref(false);

  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !isOpen.value) return;
    event.preventDefault();
    event.stopPropagation();
    isOpen.value = false;
    button.value?.focus();
  }

  function onOutside(event: Event): void {
    if (event.target instanceof Node && root.value?.contains(event.target) === false) isOpen.value = false;
  }
  onMounted(() => document.addEventListener('pointerdown', onOutside));
  onBeforeUnmount(() => document.removeEventListener('pointerdown', onOutside));

  return { id, isOpen, onKey };
}
