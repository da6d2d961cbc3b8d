import type { CheckpointStorage, StoredCheckpoints } from '../protocol/checkpointStorage';
import type { AttachmentRef } from '../protocol/entries';
import type { HostResult } from '../protocol/hostApi';
import type { FoundSession, MarkedText } from '../protocol/requests/sessionRequests';
import type { ConnectionState, ModelsState, PullState, SettingsState } from '../protocol/webviewEvents';

/** One thing to choose in a listbox. `name` is its accessible name, `about` one line that explains it. */
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

/** What a person does about the attachments of the message being written. */
export type ContextAction =
  | { kind: 'pick' }
  | { kind: 'drop'; uris: string[] }
  | { kind: 'remove'; item: AttachmentRef }
  /** The suggestion is attached, or not wanted. */
  | { kind: 'pin' }
  | { kind: 'dismiss' };

/** What a parent may ask of the composer. */
export interface ComposerHandle {
  focus(): void;
  openModels(): void;
}

/** What a parent may ask of the conversation. */
export interface ConversationHandle {
  /** Moves the focus from message to message; false after the last. */
  toMessage(step: -1 | 1): Promise<boolean>;
  /** Scrolls to what a search found. */
  toMatch(match: SearchMatch): Promise<void>;
  /** Shows the end, and follows it from there. */
  toEnd(): void;
}

/** What a parent may ask of the page that holds both. */
export interface ChatHandle extends ComposerHandle {
  toMessage(step: -1 | 1): Promise<void>;
  toMatch(match: SearchMatch): Promise<void>;
  toEnd(): void;
  /** Says that what a search found is no part of the conversation any more. */
  tellRewound(): void;
}

/** What a parent may ask of a field. */
export interface FieldHandle {
  focus(): void;
}

/** One row of the list of sessions. */
export type SessionItem = Pick<FoundSession, 'session' | 'title'> & { line: (MarkedText & { seq: number }) | null };

/** What a search found in a session: an entry, and the words as they stand there. */
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
}

/** One thing a menu offers; `keys` do the same without it. */
export interface MenuItem<T extends string = string> {
  value: T;
  name: string;
  keys?: string;
}

/** What a setting can be saved as; null takes back what was saved. */
export type SettingValue = string | number | boolean | null;

/** What became of the last change of a setting. */
export interface SettingMark {
  state: 'saved' | 'failed';
  /** Why it failed. */
  problem: string | null;
}

/** What a person does about what checkpoints have stored. */
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

/** What came of it. */
export interface StoredOutcome {
  isGood: boolean;
  text: string;
  /** What it is about, and how many more there are. */
  files: readonly string[];
  moreFiles: number;
  /** What is damaged may be in the files still. */
  canHeal?: boolean;
}

/** The checkpoints of the chat that is opened. */
export interface OpenedChat {
  sessionId: string;
  /** Null until they are known. */
  stored: StoredCheckpoints | null;
}

/** What the settings page shows of what checkpoints have stored. */
export interface StoredView {
  /** Null until it is known. */
  storage: CheckpointStorage | null;
  isFailed: boolean;
  opened: OpenedChat | null;
  /** What is under way. */
  busy: StoredAction['kind'] | null;
  outcome: StoredOutcome | null;
}

/** What the settings page shows. */
export interface SettingsView {
  /** Null until it is known. */
  state: SettingsState | null;
  isFailed: boolean;
  storage: HostResult<'measureStorage'> | null;
  marks: Readonly<Record<string, SettingMark>>;
  models: ModelsState;
  connection: ConnectionState;
  isChecking: boolean;
  /** Models that something is being done to. */
  busyModels: ReadonlySet<string>;
  modelProblem: string | null;
  pulls: readonly PullState[];
  suggestions: HostResult<'suggestModels'>;
  stored: StoredView;
}

/** What a person does about models, and about what is there to be seen of them. */
export interface ModelTableEvents {
  check: [];
  suggest: [];
  pull: [model: string];
  cancelPull: [model: string];
  enable: [model: string, isEnabled: boolean];
  unload: [model: string];
  remove: [model: string];
  openLink: [url: string];
}
