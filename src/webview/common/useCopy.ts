import { onBeforeUnmount, ref } from 'vue';
import { copyText } from './clipboard';

/** Copies a text, and says so for a moment. */
export function useCopy() {
  const hasCopied = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function copy(text: string): Promise<void> {
    await copyText(text);
    hasCopied.value = true;
    clearTimeout(timer);
    timer = setTimeout(() => (hasCopied.value = false), 2000);
  }
  onBeforeUnmount(() => clearTimeout(timer));

  return { hasCopied, copy };
}
