/** Puts text on the clipboard; rejects where the editor does not let us. */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
