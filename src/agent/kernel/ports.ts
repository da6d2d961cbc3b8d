import type { Attachment, Entry, EntryData, EntryInput } from '../../protocol/entries';
import type { ImageRef } from '../../protocol/context/imageRef';
import type { ToolEffect } from '../../protocol/toolFacts';
import type { NewSession, SessionPatch } from '../../services/database/sessions/sessionRow';
import { notFollowed, type BeginCommand } from '../../types/checkpoint';
import type { RequestOrigin } from '../../types/modelExchange';
import type { ChatChunk, ChatRequest, RunningModel } from '../../types/ollama';
import type { ModelInfo, ModelList } from '../../types/model';
import type { SessionRecord, SessionStatus } from '../../types/session';
import type { ChatMode } from '../../types/modes';
import type { AppError } from '../../utils/errors';

export type GrowingInput = Extract<EntryInput, { type: 'thinking' | 'assistant_output' }>;

/** Entry that is still being written. A session has at most one. */
export interface GrowingEntry {
  readonly entry: Entry;
  write(text: string): void;
  /** Stores the text and completes the entry. Rejects if any part could not be stored. */
  close(data: EntryData<'thinking' | 'assistant_output'>): Promise<Entry>;
}

export interface LogStore {
  append(sessionId: string, input: EntryInput): Promise<Entry>;
  /** Appends the entries in order, as one atomic operation. */
  appendAll(sessionId: string, inputs: readonly EntryInput[]): Promise<Entry[]>;
  open(sessionId: string, input: GrowingInput): Promise<GrowingEntry>;
  read(sessionId: string, sinceRevision: number): Promise<{ entries: Entry[]; revision: number }>;
}

/** Images of conversations, keyed by the SHA-256 of their bytes. */
export interface ImageStore {
  /** Rejects with an `AppError` if the bytes are not a supported image. */
  keep(bytes: Uint8Array): Promise<ImageRef>;
}

export interface SessionStore {
  /** Creates a session with its first entries in one step. This window owns the session from the start. */
  begin(id: string, input: NewSession, first: readonly EntryInput[]): Promise<SessionRecord>;
  get(id: string): Promise<SessionRecord | undefined>;
  /** Reads up to 200 titles that begin with this text, and the first messages of their sessions. */
  titlesWith(beginning: string): Promise<{ title: string; words: string | null }[]>;
  update(id: string, patch: SessionPatch): Promise<void>;
  /** Claims a session. Resolves with false if another running window owns the session. */
  claim(id: string): Promise<boolean>;
  heartbeat(): Promise<void>;
  release(id: string, status: SessionStatus): Promise<void>;
}

export interface WaitingMessage {
  id: string;
  text: string;
  mode: ChatMode;
  model: string | null;
  attachments: Attachment[];
}

/** Messages that are sent when the current run of their session ends. */
export interface QueuedMessageStore {
  /** Reads the queued messages in order. */
  list(sessionId: string): Promise<WaitingMessage[]>;
  add(sessionId: string, message: Omit<WaitingMessage, 'id'>): Promise<WaitingMessage>;
  /**
   * Moves a message from the queue to the log atomically. Resolves with undefined if the
   * message is no longer queued. With `isSteering`, the current run continues with the message.
   */
  send(sessionId: string, id: string, isSteering?: boolean): Promise<WaitingMessage | undefined>;
}

/** File that differs from an earlier state. `file` is its absolute path. */
export interface SourceControlChange {
  file: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
}

/** Source control repositories that the editor reports for the workspace. */
export interface SourceControlPort {
  /** Resolves with the uncommitted files, or null if the editor reports no repository. */
  changed(): Promise<SourceControlChange[] | null>;
}

/** Failed request, with the delay before the next attempt. */
export interface RetryNotice {
  attempt: number;
  of: number;
  delayMs: number;
  error: AppError;
}

interface CallOptions {
  /** True if the request only fills the server's prompt cache for a later request. */
  isAhead?: boolean;
  signal?: AbortSignal | undefined;
  origin?: RequestOrigin | undefined;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

export interface ChatClient {
  /** Loads a model into memory. With `isAbandoned`, the signal cancels the loading itself, not only the wait. */
  load(
    request: Pick<ChatRequest, 'model' | 'keep_alive'> & { options: { num_ctx: number } },
    options?: CallOptions & { isAbandoned?: boolean },
  ): Promise<void>;
  chat(request: ChatRequest, options?: CallOptions): AsyncGenerator<ChatChunk>;
}

export interface ModelSource {
  /** Returns the last known list. `fetchedAt` is null before the first request. */
  list(): Promise<ModelList>;
  /** Requests the list from the server. `lastError` contains the reason for a failure. */
  refresh(signal?: AbortSignal): Promise<ModelList>;
  readonly lastError: Error | null;
  get(name: string, signal?: AbortSignal): Promise<ModelInfo>;
  running(signal?: AbortSignal): Promise<RunningModel[]>;
}

export interface ChangingCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly effect: ToolEffect;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Preserves the state of the workspace before a change. */
export interface ChangeGuard {
  /** Called after a run has started and its message is in the log. Must not throw. */
  runBegun(sessionId: string): void;
  /** Called after the last entry of a run is in the log. Must not throw. */
  runEnded(sessionId: string): void;
  /**
   * Preserves the files that `work` may change, then runs `work`. After the user's approval, `work` calls
   * `beginCommand` with the folder of the command. Only changes after this call count as changes of the command.
   * Both functions reject with `CancelledError` when cancelled. Otherwise `around` rejects with the error of `work`.
   */
  around<T>(call: ChangingCall, work: (beginCommand: BeginCommand) => Promise<T>): Promise<T>;
}

export const noGuard: ChangeGuard = {
  runBegun: () => undefined,
  runEnded: () => undefined,
  around: (_call, work) => work(() => Promise.resolve(notFollowed)),
};

/** Problem that the editor or a language extension reports for a file. Lines and columns start at 1. */
export interface FileDiagnostic {
  /** Absolute path. */
  file: string;
  line: number;
  column: number;
  severity: 'error' | 'warning' | 'information' | 'hint';
  message: string;
  source?: string | undefined;
}

export interface DiagnosticsPort {
  /**
   * Reads the problems of one file or folder (real path), or all problems if `path`
   * is null. Briefly opens a file that is not open, so that the editor checks it.
   */
  diagnostics(path: string | null, signal: AbortSignal): Promise<FileDiagnostic[]>;
}

export interface DiagnosticsWatcher {
  /** Starts to watch a file (real path). Must be called before the file changes. */
  watch(path: string): DiagnosticsWatch;
}

/** Watch that compares the problems before and after a file change. */
export interface DiagnosticsWatch {
  /** Waits up to two seconds until the language extensions have checked the current text. */
  changes(signal: AbortSignal): Promise<{ before: FileDiagnostic[]; after: FileDiagnostic[] }>;
  dispose(): void;
}
