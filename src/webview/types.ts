import type { StoredCheckpoints } from '../protocol/checkpointStorage';
import type { AttachmentRef } from '../protocol/entries';
import type { FoundSession, MarkedText } from '../protocol/requests/sessionRequests';

/** Choice in a listbox. `name` is the accessible name, and `about` is a one-line explanation. */
export interface PickerOption {
  value: string;
  name: string;
  about: string;
  /** True if the choice is shown but cannot be selected. */
  isDisabled?: boolean;
}

/** Location in the workspace. Lines are 1-based. */
export interface FileLocation {
  path: string;
  startLine?: number | undefined;
  endLine?: number | undefined;
}

export type ContextAction =
  | { kind: 'pick' }
  /** Mentions an item. Null is the selection in the editor. */
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
  /** Moves the focus to the next or previous message. Resolves to false after the last message. */
  toMessage(step: -1 | 1): Promise<boolean>;
  toMatch(match: SearchMatch): Promise<void>;
  toEnd(): void;
}

export interface ChatHandle extends ComposerHandle {
  toMessage(step: -1 | 1): Promise<void>;
  toMatch(match: SearchMatch): Promise<void>;
  toEnd(): void;
  /** Shows a message that a search match is no longer part of the chat. */
  tellRewound(): void;
}

export interface FieldHandle {
  focus(): void;
}

export type SessionItem = Pick<FoundSession, 'session' | 'title'> & { line: (MarkedText & { seq: number }) | null };

/** Search match: an entry, and the matching words as written in the entry. */
export interface SearchMatch {
  seq: number;
  words: string[];
}

export interface SessionList {
  items: readonly SessionItem[];
  hasMore: boolean;
  state: 'idle' | 'loading' | 'failed';
  /** False while text that is not indexed yet may contain more matches. */
  isComplete: boolean;
  /** False if a search must read every message. */
  isIndexed: boolean;
  /** Set if the search with exclusions found nothing, so the excluded words were searched as text. */
  isAsText?: true | undefined;
  /** Set if no embedding model is selected. Contains the suggested model, or null if none is downloaded. */
  missingModel?: { suggestion: string | null } | undefined;
  /** Set if the index for search by meaning is damaged. */
  isDamaged?: true | undefined;
  /** Set if search by meaning cannot run now. */
  isUnavailable?: true | undefined;
}

/** Menu item. `keys` is its shortcut. */
export interface MenuItem<T extends string = string> {
  value: T;
  name: string;
  keys?: string;
}

/** Setting value to save. Null resets it. */
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
  /** Shows the checkpoints of a chat. Null shows none. */
  | { kind: 'open'; sessionId: string | null };

export interface StoredOutcome {
  isGood: boolean;
  text: string;
  /** Affected files. Further files are only counted. */
  files: readonly string[];
  moreFiles: number;
  /** True if files may still contain the damaged content. */
  canHeal?: boolean;
}

export interface OpenedChat {
  sessionId: string;
  /** Checkpoints of the chat. Null while loading. */
  stored: StoredCheckpoints | null;
}
