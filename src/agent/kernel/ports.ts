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

/** The only growing entry of a session. */
export interface GrowingEntry {
  readonly entry: Entry;
  write(text: string): void;
  /** Stores the text and completes the entry. Rejects if anything could not be stored. */
  close(data: EntryData<'thinking' | 'assistant_output'>): Promise<Entry>;
}

export interface LogStore {
  append(sessionId: string, input: EntryInput): Promise<Entry>;
  /** Appends all entries in order, or none. */
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
  /** Creates a session, which this window already runs, together with its first entries, or creates nothing. */
  begin(id: string, input: NewSession, first: readonly EntryInput[]): Promise<SessionRecord>;
  get(id: string): Promise<SessionRecord | undefined>;
  /** Reads up to 200 titles with this beginning, and the first messages of their sessions. */
  titlesWith(beginning: string): Promise<{ title: string; words: string | null }[]>;
  update(id: string, patch: SessionPatch): Promise<void>;
  /** Claims a session; resolves with false if a live run of another window holds it. */
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
  /** Reads the waiting messages in order. */
  list(sessionId: string): Promise<QueuedMessage[]>;
  add(sessionId: string, message: Omit<QueuedMessage, 'id'>): Promise<QueuedMessage>;
  /**
   * Moves a message from the queue to the log atomically; resolves with undefined if it is no longer queued.
   * `isSteering`: the current run continues with it.
   */
  send(sessionId: string, id: string, isSteering?: boolean): Promise<QueuedMessage | undefined>;
}

/** File that differs from an earlier state; `file` is its absolute path. */
export interface ChangedFile {
  file: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
}

/** Repositories of the workspace that the editor reports. */
export interface SourceControlPort {
  /** Resolves with the uncommitted files; null if the editor reports no repository. */
  changed(): Promise<ChangedFile[] | null>;
}

/** Failed request that will be retried in `delayMs`. */
export interface RetryNotice {
  attempt: number;
  of: number;
  delayMs: number;
  error: AppError;
}

interface CallOptions {
  /** True if the server only reads the start of a later request. */
  isAhead?: boolean;
  signal?: AbortSignal | undefined;
  origin?: RequestOrigin | undefined;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

export interface ChatClient {
  /** Loads a model into memory. With `isAbandoned`, the signal cancels the loading itself, not only the wait for it. */
  load(
    request: Pick<ChatRequest, 'model' | 'keep_alive'> & { options: { num_ctx: number } },
    options?: CallOptions & { isAbandoned?: boolean },
  ): Promise<void>;
  chat(request: ChatRequest, options?: CallOptions): AsyncGenerator<ChatChunk>;
}

export interface ModelSource {
  /** Returns the last known list; `fetchedAt` is null if the server was never asked. */
  list(): Promise<ModelList>;
  /** Asks the server for the list; `lastError` holds the reason of a failure. */
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
  /** Called when a run has begun and its message is in the log. Must not throw. */
  runBegun(sessionId: string): void;
  /** Called when the last entry of a run is in the log. Must not throw. */
  runEnded(sessionId: string): void;
  /**
   * Runs `work` once the files that it may change are preserved. `work` calls `beginCommand`, with the command's folder,
   * after the user's approval: only changes from then on belong to the command. Both reject with `CancelledError` when
   * cancelled; otherwise this rejects as `work` does.
   */
  around<T>(call: ChangingCall, work: (beginCommand: BeginCommand) => Promise<T>): Promise<T>;
}

export const noGuard: ChangeGuard = {
  runBegun: () => undefined,
  runEnded: () => undefined,
  around: (_call, work) => work(() => Promise.resolve(notFollowed)),
};

/** Problem that the editor or a language extension reports in a file. Lines and columns count from 1. */
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
   * Reads the problems of a file or a folder (real path), or all problems for null. Briefly opens a file
   * that is not open, so that it is checked.
   */
  diagnostics(path: string | null, signal: AbortSignal): Promise<FileDiagnostic[]>;
}

export interface DiagnosticsWatcher {
  /** Starts to watch a file (real path). Call it before the file changes. */
  watch(path: string): DiagnosticsWatch;
}

/** Watch of the effect that a file change has on problems. */
export interface DiagnosticsWatch {
  /** Waits up to two seconds for the language extensions to check the current text. */
  changes(signal: AbortSignal): Promise<{ before: FileDiagnostic[]; after: FileDiagnostic[] }>;
  dispose(): void;
}
