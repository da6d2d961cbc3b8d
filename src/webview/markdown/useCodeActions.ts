import { inject, type InjectionKey } from 'vue';

/** Actions on a block of code, wherever in a message it stands. */
export interface CodeActions {
  insertAtCursor(text: string): void;
  /** Shows the text as a change of the file that it belongs to. */
  applyToFile(text: string): void;
}

export const codeActionsKey: InjectionKey<CodeActions> = Symbol('codeActions');

/** null where there is no editor to act on. */
export function useCodeActions(): CodeActions | null {
  return inject(codeActionsKey, null);
}
