import type { EntryInput } from '../../protocol/entries';
import type { SessionStatus } from '../../types/session';
import type { ChatMode } from '../../types/modes';
import { readChatMode, textOrNull, readTime } from './importedValues';
import type { ImportFormat, IssueReason } from './importReport';
import type { RestorePoints } from './restorePoints';

export interface ImportedEntry {
  /** Id in the source. It does not change between reads. */
  id: string;
  /** Line in the source, from 1. */
  line: number;
  /** Milliseconds since the epoch. Null if the source has no valid time. */
  time: number | null;
  input: EntryInput;
}

/** Session fields. They are complete when the whole source has been read. */
export interface ImportedHead {
  title: string;
  mode: ChatMode;
  model: string | null;
  status: SessionStatus;
  projectPath: string | null;
  createdAt: number | null;
  updatedAt: number | null;
  /** True if the inline chat created the session. */
  isInline: boolean;
}

/** Receives the data of a source in order. If it throws an error, reading stops. */
export interface ImportSink {
  /** Adds an entry and returns its `seq`. If the entry is rejected, returns 0 and reports an issue. */
  add(entry: ImportedEntry): number;
  /** `seq` of the last entry; 0 before the first. */
  readonly lastSeq: number;
  issue(line: number | null, reason: IssueReason, detail?: string): void;
  /** Counts data that is not part of the conversation. `kind` must be from a small fixed set of values. */
  leaveOut(kind: string): void;
  onRead(bytes: number): void;
  /** Adds an image that entries reference by hash. Ignores data that is not an image. */
  image(bytes: Uint8Array): void;
  /** Stores a value on disk while this session is read. */
  remember(key: string, value: string): void;
  recall(key: string): string | undefined;
}

export interface ImportSource {
  format: ImportFormat;
  place: string;
  /** File to which line numbers refer. */
  file: string;
  id: string;
  /** Size in bytes, used to report progress. */
  size: number;
  /** Restore points, if the session has a project folder. */
  restorePoints?: { root: string; from: RestorePoints };
  /** Reads the whole source. Throws file system errors. */
  read(sink: ImportSink): ImportedHead;
}

/** Reads the fields of a session, which have the same names as in `session.json`. `title` is the default title. */
export function describedHead(session: Record<string, unknown>, title: string): Omit<ImportedHead, 'status'> {
  return {
    title: textOrNull(session.title) ?? title,
    mode: readChatMode(session.mode),
    model: textOrNull(session.model),
    projectPath: textOrNull(session.projectPath),
    createdAt: readTime(session.createdAt),
    updatedAt: readTime(session.updatedAt),
    isInline: session.isInline === true,
  };
}
