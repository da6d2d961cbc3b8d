/** One thing to choose in a listbox. `name` is its accessible name, `about` one line that explains it. */
export interface PickerOption {
  value: string;
  name: string;
  about: string;
}

/** A place in the workspace; lines count from 1. */
export interface FileLocation {
  path: string;
  startLine?: number;
  endLine?: number;
}

/** What is open in the editor. */
export interface Workspace {
  name: string | null;
  hasFolder: boolean;
  isTrusted: boolean;
}

/** What a parent may ask of the composer. */
export interface ComposerHandle {
  focus(): void;
  openModels(): void;
}

/** What a parent may ask of the conversation. */
export interface ConversationHandle {
  /** Moves the focus from message to message; false after the last. */
  toMessage(step: -1 | 1): Promise<boolean>;
}

/** What a parent may ask of the page that holds both. */
export interface ChatHandle extends ComposerHandle {
  toMessage(step: -1 | 1): Promise<void>;
}
