import type { EntryInput } from '../../protocol/entries';
import type { SessionStatus } from '../../types/session';
import type { ChatMode } from '../../types/modes';
import { modeOf, textOrNull, timeOf } from './importedValues';
import type { ImportFormat, IssueReason } from './importReport';
import type { RestorePoints } from './restorePoints';

/** An entry as it comes from elsewhere. */
export interface ImportedEntry {
  /** Its id there; the same whenever the same source is read. */
  id: string;
  /** Line in the source, from 1. */
  line: number;
  /** Milliseconds since the epoch; null where the source has none that can be. */
  time: number | null;
  input: EntryInput;
}

/** Facts about a session, known once all of it was read. */
export interface ImportedHead {
  title: string;
  mode: ChatMode;
  model: string | null;
  status: SessionStatus;
  projectPath: string | null;
  createdAt: number | null;
  updatedAt: number | null;
}

/** Takes what a source gives, in its order. What it throws ends the reading. */
export interface ImportSink {
  /** Returns the `seq` that the entry got; 0 if it was not taken, which is noted. */
  add(entry: ImportedEntry): number;
  /** The `seq` of the last entry; 0 before the first. */
  readonly lastSeq: number;
  issue(line: number | null, reason: IssueReason, detail?: string): void;
  /** Counts something that is no part of the conversation. `kind` is one of a few. */
  leaveOut(kind: string): void;
  onRead(bytes: number): void;
  /** Takes an image that entries name by its hash; what is none is left out. */
  image(bytes: Uint8Array): void;
  /** Keeps a value outside of memory, for as long as this session is read. */
  remember(key: string, value: string): void;
  recall(key: string): string | undefined;
}

/** Session to import. */
export interface ImportSource {
  format: ImportFormat;
  /** The file or folder it is in. */
  place: string;
  /** The file whose lines are counted. */
  file: string;
  id: string;
  /** Bytes, for the progress. */
  size: number;
  /** Restore points of its files, if it has a folder. */
  restorePoints?: { root: string; from: RestorePoints };
  /** Reads all of it. Throws what the system says. */
  read(sink: ImportSink): ImportedHead;
}

/** Reads what a session says of itself, in the names of `session.json`; `title` where it has none. */
export function describedHead(session: Record<string, unknown>, title: string): Omit<ImportedHead, 'status'> {
  return {
    title: textOrNull(session.title) ?? title,
    mode: modeOf(session.mode),
    model: textOrNull(session.model),
    projectPath: textOrNull(session.projectPath),
    createdAt: timeOf(session.createdAt),
    updatedAt: timeOf(session.updatedAt),
  };
}
