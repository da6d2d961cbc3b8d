import { createHash } from 'node:crypto';
import type { EntryInput } from '../../protocol/entries';
import type { SessionStatus } from '../../types/session';
import type { ChatMode } from '../../types/modes';
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
  /** The `seq` that it got; 0 where it was not taken, which is noted. */
  add(entry: ImportedEntry): number;
  /** The `seq` of the last entry; 0 before the first. */
  readonly lastSeq: number;
  issue(line: number | null, reason: IssueReason, detail?: string): void;
  /** Counts something that is no part of the conversation. `kind` is one of a few. */
  leaveOut(kind: string): void;
  onRead(bytes: number): void;
  /** Kept outside of memory, for as long as this session is read. */
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

/** Ids are kept as they are, but for what no program would give: that is named by its hash. */
export function safeId(id: string): string {
  return /^\w(?!.*\.\.)[\w.:#@~/-]{0,199}$/.test(id)
    ? id
    : `import-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** A moment that can be: a text in ISO 8601, or milliseconds or seconds since the epoch; null for all else. */
export function timeOf(value: unknown): number | null {
  const time =
    typeof value === 'string'
      ? Date.parse(isoOf(value))
      : typeof value === 'number'
        ? value < 1e11
          ? value * 1000
          : value
        : NaN;
  return Number.isFinite(time) && time >= 0 && time < 8.64e15 ? Math.floor(time) : null;
}

/** SQLite's `datetime('now')` is UTC without saying so. */
function isoOf(text: string): string {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text;
}

const titleLength = 60;

/** The first words of a message, whole words where there are any. */
export function titleFrom(text: string): string {
  const characters = [
    ...text
      .slice(0, 4 * titleLength)
      .replace(/\s+/g, ' ')
      .trim(),
  ];
  if (characters.length <= titleLength) return characters.join('');
  const lastSpace = characters.slice(0, titleLength).lastIndexOf(' ');
  return `${characters.slice(0, lastSpace > titleLength / 2 ? lastSpace : titleLength - 1).join('')}…`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}
