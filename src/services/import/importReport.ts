import type { StorageErrorCode } from '../database/sqlite/storageError';

/** Format of a source, described in docs/import.md. */
export type ImportFormat = 'claudeCode' | 'codeSession' | 'database' | 'exported';

/**
 * Reason of a problem:
 * - `notJson`, `notUtf8`, `tooLong`, `tooDeep`: the line or folder is unreadable
 * - `unknownForm`, `unknownPart`: the format of a line or of a part of it is unknown
 * - `repeated`: another entry has the same id
 * - `otherSession`: the line belongs to another session
 * - `noTime`: there is no valid time, so the entry got a time after the previous entry
 * - `unreadable`: the file is unreadable
 * - `noSession`: there is no session description
 * - `unknownStatus`: the session status is unknown
 * - `noTranscript`: the session has no transcript
 * - `tooLarge`: the database is larger than 1 GB
 * - `damaged`: the database is damaged
 * - `otherDatabase`: the database belongs to another program
 * - `unsafeFile`: a path in a restore point is outside of the folder
 * - `noContent`: the content of a restore point file is missing or different
 * - `noRoot`: a session without a folder has restore points
 * - `noSuchSession`: the session of a restore point is missing
 * - `noLance`: this package cannot read the LanceDB folder
 */
export type IssueReason =
  | 'notJson'
  | 'notUtf8'
  | 'tooLong'
  | 'tooDeep'
  | 'unknownForm'
  | 'unknownPart'
  | 'repeated'
  | 'otherSession'
  | 'noTime'
  | 'unreadable'
  | 'noSession'
  | 'unknownStatus'
  | 'noTranscript'
  | 'tooLarge'
  | 'damaged'
  | 'otherDatabase'
  | 'unsafeFile'
  | 'noContent'
  | 'noRoot'
  | 'noSuchSession'
  | 'noLance';

/** Problem of an import: data that was changed or is missing in the history. */
export interface ImportIssue {
  file: string;
  /** First and last line, counted from 1, of a run of lines with the same reason. Null if the problem concerns the whole file. */
  lines: [first: number, last: number] | null;
  reason: IssueReason;
  /** Error text of the system. */
  detail?: string;
}

/**
 * Outcome for a session:
 * - `imported`: the session is new
 * - `extended`: new entries of the source were added
 * - `unchanged`: all entries already exist
 * - `continued`: the session was continued in this product, so nothing is added
 * - `differs`: the source does not start with the stored entries
 * - `ours`: a session with this id exists that was not imported
 * - `empty`: the source contains no conversation
 * - `failed`: the session could not be read or stored
 */
export type ImportOutcome = 'imported' | 'extended' | 'unchanged' | 'continued' | 'differs' | 'ours' | 'empty' | 'failed';

export interface ImportedSession {
  format: ImportFormat;
  place: string;
  id: string;
  title: string;
  outcome: ImportOutcome;
  added: number;
  failure?: string;
}

export interface ImportReport {
  sessions: ImportedSession[];
  issues: ImportIssue[];
  /** Number of all problems, including those that are not listed. */
  issueCount: number;
  /** Number of problems that are not listed. */
  unlisted: number;
  /** Data that is not part of a conversation, by file and kind. */
  leftOut: { file: string; kind: string; count: number }[];
  /** Files that look importable but are not. */
  unknownFiles: string[];
  isCancelled: boolean;
  /** Error that stopped the import early. */
  failure: { code: StorageErrorCode | 'internal'; message: string } | null;
}

const listedIssues = 20_000;

/** Collects a report with limited memory. Consecutive lines become one issue. Issues beyond the limit are only counted. */
export class ReportBuilder {
  private readonly report: ImportReport = {
    sessions: [],
    issues: [],
    issueCount: 0,
    unlisted: 0,
    leftOut: [],
    unknownFiles: [],
    isCancelled: false,
    failure: null,
  };
  private readonly left = new Map<string, ImportReport['leftOut'][number]>();

  addSession(session: ImportedSession): void {
    this.report.sessions.push(session);
  }

  addIssue(file: string, line: number | null, reason: IssueReason, detail?: string): void {
    const { report } = this;
    report.issueCount += 1;
    const last = report.issues.at(-1);
    if (line !== null && last?.lines != null && last.file === file && last.reason === reason && last.lines[1] >= line - 1) {
      last.lines[1] = line;
    } else if (report.issues.length < listedIssues) {
      const lines: [number, number] | null = line === null ? null : [line, line];
      report.issues.push({ file, lines, reason, ...(detail !== undefined && { detail }) });
    } else report.unlisted += 1;
  }

  /** Counts omitted data. `kind` must be from a small fixed set of values. */
  leaveOut(file: string, kind: string): void {
    const key = `${kind}\0${file}`;
    const known = this.left.get(key);
    if (known !== undefined) known.count += 1;
    else {
      const fresh = { file, kind, count: 1 };
      this.left.set(key, fresh);
      this.report.leftOut.push(fresh);
    }
  }

  addUnknownFile(file: string): void {
    this.report.unknownFiles.push(file);
  }

  finish(end: Pick<ImportReport, 'isCancelled' | 'failure'>): ImportReport {
    return { ...this.report, ...end };
  }
}
