import { onBeforeUnmount, ref } from 'vue';
import { t } from '../translate';

/** Puts text on the clipboard; rejects, in words for a person, where the editor does not let us. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (cause) {
    throw new Error(
      t('The editor did not let the text be copied. Click into the chat and try again, or select it and copy it.'),
      { cause },
    );
  }
}

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
