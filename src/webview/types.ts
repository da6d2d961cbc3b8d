import type { StoredCheckpoints } from '../protocol/checkpointStorage';
import type { AttachmentRef } from '../protocol/entries';
import type { FoundSession, MarkedText } from '../protocol/requests/sessionRequests';

/** Choice in a listbox: accessible `name` and one-line explanation `about`. */
export interface PickerOption {
  value: string;
  name: string;
  about: string;
  /** True if shown but not selectable. */
  isDisabled?: boolean;
}

/** Place in the workspace. Lines are 1-based. */
export interface FileLocation {
  path: string;
  startLine?: number | undefined;
  endLine?: number | undefined;
}

export type ContextAction =
  | { kind: 'pick' }
  /** Mentions an item; null: the editor's selection. */
  | { kind: 'mention'; item: AttachmentRef | null }
  | { kind: 'drop'; uris: string[] }
  | { kind: 'images'; files: File[] }
  | { kind: 'remove'; item: AttachmentRef }
  /** Pins or dismisses a suggested item. */
  | { kind: 'pin'; item: AttachmentRef }
  | { kind: 'dismiss'; item: AttachmentRef };

export interface ComposerHandle {
  focus(): void;
  openModels(): void;
}

export interface ConversationHandle {
  /** Moves the focus to the next or previous message. Resolves to false after the last. */
  toMessage(step: -1 | 1): Promise<boolean>;
  toMatch(match: SearchMatch): Promise<void>;
  toEnd(): void;
}

export interface ChatHandle extends ComposerHandle {
  toMessage(step: -1 | 1): Promise<void>;
  toMatch(match: SearchMatch): Promise<void>;
  toEnd(): void;
  /** Shows that a search match is no longer part of the chat. */
  tellRewound(): void;
}

export interface FieldHandle {
  focus(): void;
}

export type SessionItem = Pick<FoundSession, 'session' | 'title'> & { line: (MarkedText & { seq: number }) | null };

/** Search match: an entry and the matching words as written there. */
export interface SearchMatch {
  seq: number;
  words: string[];
}

export interface SessionList {
  items: readonly SessionItem[];
  hasMore: boolean;
  state: 'idle' | 'loading' | 'failed';
  /** False while unindexed text may have more matches. */
  isComplete: boolean;
  /** False if a search must read every message. */
  isIndexed: boolean;
  /** Set if no model for search by meaning is selected: the suggested one, or null if none is pulled. */
  missingModel?: { suggestion: string | null } | undefined;
  /** Set if the index for search by meaning is damaged. */
  isDamaged?: true | undefined;
}

/** Menu item; `keys` is its shortcut. */
export interface MenuItem<T extends string = string> {
  value: T;
  name: string;
  keys?: string;
}

/** Setting value to save; null resets it. */
export type SettingValue = string | number | boolean | string[] | Record<string, boolean> | null;

export interface SettingMark {
  state: 'saved' | 'failed';
  problem: string | null;
}

export type StoredAction =
  | { kind: 'read' }
  | { kind: 'verify' }
  | { kind: 'heal' }
  | { kind: 'collect' }
  | { kind: 'makeRoom' }
  | { kind: 'removeOld'; days: number }
  | { kind: 'remove'; id: string }
  /** Shows a chat's checkpoints; null: none. */
  | { kind: 'open'; sessionId: string | null };

export interface StoredOutcome {
  isGood: boolean;
  text: string;
  /** Affected files, and the number of unlisted ones. */
  files: readonly string[];
  moreFiles: number;
  /** True if files may still contain the damaged content. */
  canHeal?: boolean;
}

export interface OpenedChat {
  sessionId: string;
  /** Null while loading. */
  stored: StoredCheckpoints | null;
}
