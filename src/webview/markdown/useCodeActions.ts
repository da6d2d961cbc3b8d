import { inject, type InjectionKey } from 'vue';

export interface CodeActions {
  insertAtCursor(text: string): void;
  /** Shows the text as a change to its file. */
  applyToFile(text: string): void;
}

export const codeActionsKey: InjectionKey<CodeActions> = Symbol('codeActions');

/** Returns null without an editor. */
export function useCodeActions(): CodeActions | null {
  return inject(codeActionsKey, null);
}
