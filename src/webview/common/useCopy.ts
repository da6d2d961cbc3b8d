import { onBeforeUnmount, ref } from 'vue';
import { t } from '../translate';

/** Copies a text to the clipboard. Rejects with a user-friendly message if this fails. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (cause) {
    throw new Error(t('Could not copy the text. Click in the chat and try again, or select the text and copy it.'), { cause });
  }
}

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
