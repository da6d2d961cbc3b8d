import type { StorageErrorCode } from '../database/sqlite/storageError';

/** Format of a source, described in docs/import.md. */
export type ImportFormat = 'claudeCode' | 'codeSession' | 'database' | 'exported';

/**
 * - `notJson`, `notUtf8`, `tooLong`, `tooDeep`: unreadable line or folder
 * - `unknownForm`, `unknownPart`: unknown form of a line or of a part of it
 * - `repeated`: duplicate entry id
 * - `otherSession`: the line belongs to another session
 * - `noTime`: no valid time; the entry got the time after the previous entry
 * - `unreadable`: unreadable file
 * - `noSession`: no session description
 * - `unknownStatus`: unknown session status
 * - `noTranscript`: session without a transcript
 * - `tooLarge`: database over 1 GB
 * - `damaged`: damaged database
 * - `otherDatabase`: database of another program
 * - `unsafeFile`: path in a restore point that is outside of the folder
 * - `noContent`: missing or different content of a restore point file
 * - `noRoot`: restore points of a session without a folder
 * - `noSuchSession`: restore point of a missing session
 * - `noLance`: LanceDB folder, which this package cannot read
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

/** Problem of an import: data that the history lacks or has in another form. */
export interface ImportIssue {
  file: string;
  /** First and last of consecutive lines with the same reason, from 1; null if the problem concerns the file. */
  lines: [first: number, last: number] | null;
  reason: IssueReason;
  /** System error text. */
  detail?: string;
}

/**
 * - `imported`: new session
 * - `extended`: new entries of the source were added
 * - `unchanged`: all entries exist already
 * - `continued`: the session was continued here, so nothing is added
 * - `differs`: the stored entries are not the start of the source
 * - `ours`: a session with this id exists that was not imported
 * - `empty`: no conversation in the source
 * - `failed`: could not be read or stored
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
  /** Number of all problems, including unlisted ones. */
  issueCount: number;
  /** Number of problems that are not listed. */
  unlisted: number;
  /** Data that is not part of a conversation, by file and kind. */
  leftOut: { file: string; kind: string; count: number }[];
  /** Files that look importable, but are not. */
  unknownFiles: string[];
  isCancelled: boolean;
  /** Error that ended the import early. */
  failure: { code: StorageErrorCode | 'internal'; message: string } | null;
}

const listedIssues = 20_000;

/** Collects a report in bounded memory: consecutive lines become one issue, and issues beyond the limit are only counted. */
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

  /** Counts omitted data. `kind` is one of a few values. */
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
