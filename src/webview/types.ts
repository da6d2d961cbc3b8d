import type { StoredCheckpoints } from '../protocol/checkpointStorage';
import type { AttachmentRef } from '../protocol/entries';
import type { FoundSession, MarkedText } from '../protocol/requests/sessionRequests';

/** Choice in a listbox. `name` is its accessible name, `about` one line that explains it. */
export interface PickerOption {
  value: string;
  name: string;
  about: string;
  /** Listed, but not to be chosen. */
  isDisabled?: boolean;
}

/** A place in the workspace; lines count from 1. */
export interface FileLocation {
  path: string;
  startLine?: number | undefined;
  endLine?: number | undefined;
}

/** Action of a person on the attachments of the message being written. */
export type ContextAction =
  | { kind: 'pick' }
  /** A mention is chosen; null: the selection in the editor. */
  | { kind: 'mention'; item: AttachmentRef | null }
  | { kind: 'drop'; uris: string[] }
  /** Images that were pasted or dropped. */
  | { kind: 'images'; files: File[] }
  | { kind: 'remove'; item: AttachmentRef }
  /** An item of the editor is to stay, or is not wanted. */
  | { kind: 'pin'; item: AttachmentRef }
  | { kind: 'dismiss'; item: AttachmentRef };

/** Calls that a parent may make on the composer. */
export interface ComposerHandle {
  focus(): void;
  openModels(): void;
}

/** Calls that a parent may make on the conversation. */
export interface ConversationHandle {
  /** Moves the focus from message to message; false after the last. */
  toMessage(step: -1 | 1): Promise<boolean>;
  /** Scrolls to what a search found. */
  toMatch(match: SearchMatch): Promise<void>;
  /** Shows the end, and follows it from there. */
  toEnd(): void;
}

/** Calls that a parent may make on the page that holds both. */
export interface ChatHandle extends ComposerHandle {
  toMessage(step: -1 | 1): Promise<void>;
  toMatch(match: SearchMatch): Promise<void>;
  toEnd(): void;
  /** Says that what a search found is no part of the conversation any more. */
  tellRewound(): void;
}

/** Calls that a parent may make on a field. */
export interface FieldHandle {
  focus(): void;
}

/** Row of the list of sessions. */
export type SessionItem = Pick<FoundSession, 'session' | 'title'> & { line: (MarkedText & { seq: number }) | null };

/** Match of a search in a session: an entry, and the words as they stand there. */
export interface SearchMatch {
  seq: number;
  words: string[];
}

export interface SessionList {
  items: readonly SessionItem[];
  hasMore: boolean;
  state: 'idle' | 'loading' | 'failed';
  /** False while a search may still find more in what is not indexed yet. */
  isComplete: boolean;
  /** False where a search has to read every message. */
  isIndexed: boolean;
  /** Model that could be chosen to search by meaning, there only if none is; null if none is pulled. */
  missingModel?: { suggestion: string | null } | undefined;
}

/** Choice of a menu; `keys` do the same without it. */
export interface MenuItem<T extends string = string> {
  value: T;
  name: string;
  keys?: string;
}

/** Value as which a setting can be saved; null takes back the saved one. */
export type SettingValue = string | number | boolean | string[] | Record<string, boolean> | null;

/** Result of the last change of a setting. */
export interface SettingMark {
  state: 'saved' | 'failed';
  /** Reason of the failure. */
  problem: string | null;
}

/** Action of a person on what checkpoints have stored. */
export type StoredAction =
  | { kind: 'read' }
  | { kind: 'verify' }
  | { kind: 'heal' }
  | { kind: 'collect' }
  | { kind: 'makeRoom' }
  | { kind: 'removeOld'; days: number }
  | { kind: 'remove'; id: string }
  /** Shows the checkpoints of a chat; null: of none. */
  | { kind: 'open'; sessionId: string | null };

/** Result of such an action. */
export interface StoredOutcome {
  isGood: boolean;
  text: string;
  /** Files that it is about, and the number of those not listed. */
  files: readonly string[];
  moreFiles: number;
  /** True if the damaged content may still be in the files. */
  canHeal?: boolean;
}

/** The checkpoints of the chat that is opened. */
export interface OpenedChat {
  sessionId: string;
  /** Null until they are known. */
  stored: StoredCheckpoints | null;
}
