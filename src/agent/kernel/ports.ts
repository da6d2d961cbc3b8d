import type { Attachment, Entry, EntryData, EntryInput } from '../../protocol/entries';
import type { ImageRef } from '../../protocol/context/imageRef';
import type { ToolEffect } from '../../protocol/toolFacts';
import type { NewSession, SessionPatch } from '../../services/database/sessions/sessionRow';
import { notFollowed, type BegunCommand } from '../../types/checkpoint';
import type { ChatChunk, ChatRequest, RunningModel } from '../../types/ollama';
import type { ModelInfo, ModelList } from '../../types/model';
import type { SessionRecord, SessionStatus } from '../../types/session';
import type { ChatMode } from '../../types/modes';
import type { AppError } from '../../utils/errors';

/** Declares what the agent needs of the services and of the editor. */

export type GrowingInput = Extract<EntryInput, { type: 'thinking' | 'assistant_output' }>;

/** The one entry of a session that still grows. */
export interface GrowingEntry {
  readonly entry: Entry;
  write(text: string): void;
  /** Stores what was written and ends the growth; rejects when anything could not be stored. */
  close(data: EntryData<'thinking' | 'assistant_output'>): Promise<Entry>;
}

export interface LogStore {
  append(sessionId: string, input: EntryInput): Promise<Entry>;
  /** Appends all of them, one after the other, or none. */
  appendAll(sessionId: string, inputs: readonly EntryInput[]): Promise<Entry[]>;
  open(sessionId: string, input: GrowingInput): Promise<GrowingEntry>;
  read(sessionId: string, sinceRevision: number): Promise<{ entries: Entry[]; revision: number }>;
}

/** Images of conversations, by the SHA-256 of their bytes. */
export interface ImageStore {
  /** Rejects with an `AppError` where the bytes are no image that can be kept. */
  keep(bytes: Uint8Array): Promise<ImageRef>;
}

export interface SessionStore {
  /** Makes a session that this window runs already, with its first entries: all or nothing. */
  begin(id: string, input: NewSession, first: readonly EntryInput[]): Promise<SessionRecord>;
  get(id: string): Promise<SessionRecord | undefined>;
  /** Reads the titles that begin so, at most 200, with the first messages of their sessions. */
  titled(beginning: string): Promise<{ title: string; words: string | null }[]>;
  update(id: string, patch: SessionPatch): Promise<void>;
  /** Claims a session; false while another window's live run holds it. */
  claim(id: string): Promise<boolean>;
  heartbeat(): Promise<void>;
  release(id: string, status: SessionStatus): Promise<void>;
}

export interface QueuedMessage {
  id: string;
  text: string;
  mode: ChatMode;
  model: string | null;
  attachments: Attachment[];
}

/** Messages that wait for the run of their session to end. */
export interface QueuedMessageStore {
  /** Reads the waiting messages, in order. */
  list(sessionId: string): Promise<QueuedMessage[]>;
  add(sessionId: string, message: Omit<QueuedMessage, 'id'>): Promise<QueuedMessage>;
  /**
   * Puts the message into the log and takes it out of the queue, both or neither; undefined where it does not wait any more. `isSteering`:
   * a run goes on with it.
   */
  send(sessionId: string, id: string, isSteering?: boolean): Promise<QueuedMessage | undefined>;
}

/** A file that differs from an earlier state; `file` is its absolute path. */
export interface ChangedFile {
  file: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
}

/** Repositories of the workspace, as the editor knows them. */
export interface SourceControlPort {
  /** Resolves with the files that are not committed; null where no repository is known. */
  changed(): Promise<ChangedFile[] | null>;
}

/** A request that failed and will be sent again in `delayMs`. */
export interface RetryNotice {
  attempt: number;
  of: number;
  delayMs: number;
  error: AppError;
}

interface CallOptions {
  signal?: AbortSignal | undefined;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

export interface ChatClient {
  /** Puts a model into memory; with `isAbandoned` the signal ends the loading too, not only the waiting. */
  load(
    request: Pick<ChatRequest, 'model' | 'keep_alive'> & { options: { num_ctx: number } },
    options?: CallOptions & { isAbandoned?: boolean },
  ): Promise<void>;
  chat(request: ChatRequest, options?: CallOptions): AsyncGenerator<ChatChunk>;
}

export interface ModelSource {
  /** The list as last seen; `fetchedAt` is null where the server was never asked. */
  list(): Promise<ModelList>;
  /** Asks the server; `lastError` says why it gave no list. */
  refresh(signal?: AbortSignal): Promise<ModelList>;
  readonly lastError: Error | null;
  get(name: string, signal?: AbortSignal): Promise<ModelInfo>;
  running(signal?: AbortSignal): Promise<RunningModel[]>;
}

/** A call that may change files. */
export interface ChangingCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly effect: ToolEffect;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Keeps what the workspace was before something changes it. */
export interface ChangeGuard {
  /** Called when a run has begun, with its message in the log. Must not throw. */
  runBegun(sessionId: string): void;
  /** Called when its last entry is in the log. Must not throw. */
  runEnded(sessionId: string): void;
  /**
   * Does `work` once what it may change is safe. A command is begun with what `work` is given (the folder that it runs in), when a person has had their say: only
   * what changes from then on is told of it. Rejects as `work` does, or with `CancelledError`, as does the beginning.
   */
  around<T>(call: ChangingCall, work: (beginCommand: (folder?: string) => Promise<BegunCommand>) => Promise<T>): Promise<T>;
}

export const noGuard: ChangeGuard = {
  runBegun: () => undefined,
  runEnded: () => undefined,
  around: (_call, work) => work(() => Promise.resolve(notFollowed)),
};

/** Problem that the editor or a language extension reports at a place in a file; lines and columns count from 1. */
export interface FileDiagnostic {
  /** Absolute. */
  file: string;
  line: number;
  column: number;
  severity: 'error' | 'warning' | 'information' | 'hint';
  message: string;
  source?: string | undefined;
}

export interface DiagnosticsPort {
  /**
   * Reads the problems of one file or of the files in a folder (a real path), or all for null. A file that nobody has
   * looked at is
   * opened first, for a moment.
   */
  diagnostics(path: string | null, signal: AbortSignal): Promise<FileDiagnostic[]>;
}

export interface DiagnosticsWatcher {
  /** Begins to watch a file (a real path). Call it before the file changes. */
  watch(path: string): DiagnosticsWatch;
}

/** Watch of the effects that a change of a file has on its problems. */
export interface DiagnosticsWatch {
  /** Waits for what the language extensions say of the file as it is now, two seconds at the most. */
  changes(signal: AbortSignal): Promise<{ before: FileDiagnostic[]; after: FileDiagnostic[] }>;
  dispose(): void;
}
