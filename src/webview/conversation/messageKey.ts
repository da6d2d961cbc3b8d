/** Ctrl+↑ and Ctrl+↓. With ⌘ a text field has its own use for them. */
export function isMessageKey({ key, ctrlKey, metaKey, shiftKey, altKey, target }: KeyboardEvent): boolean {
  if ((key !== 'ArrowUp' && key !== 'ArrowDown') || shiftKey || altKey) return false;
  return ctrlKey || (metaKey && !(target instanceof HTMLTextAreaElement));
}
