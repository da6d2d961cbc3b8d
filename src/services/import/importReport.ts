import type { StorageErrorCode } from '../database/sqlite/storageError';

/** Format of a source: docs/import.md. */
export type ImportFormat = 'claudeCode' | 'codeSession' | 'database' | 'exported';

/**
 * `notJson`, `notUtf8`, `tooLong`, `tooDeep` the line cannot be read, or the folder is not looked into · `unknownForm` it can, but is none that is known · `unknownPart` a part
 * of it is not · `repeated` an entry with its id came before · `otherSession` it belongs to another session · `noTime` it has no time that
 * can be: it was given the one after the entry before · `unreadable` the file cannot be read · `noSession` the session itself is not
 * described · `unknownStatus` its status is none that is known · `noTranscript` a session without one · `tooLarge` a database of more than 1 GB · `damaged` one that is not whole ·
 * `otherDatabase` one of another program · `unsafeFile` the name of a file in a restore point is none that is below the folder · `noContent`
 * its content is not there, or is another · `noRoot` restore points of a session without a folder ·
 * `noSuchSession` a restore point of a session that is not there · `noLance` a folder of LanceDB, which this package cannot read.
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

/** Something that is not in the history as it is in the file. */
export interface ImportIssue {
  file: string;
  /** The first and the last of lines in a row that share the reason, from 1; null where it is about the file. */
  lines: [first: number, last: number] | null;
  reason: IssueReason;
  /** Words of the system about a file. */
  detail?: string;
}

/**
 * `imported` it is new here · `extended` entries that were added to it there since were added here too · `unchanged` all of it was here ·
 * `continued` it has been continued here, so that nothing is added to it · `differs` it is here, and is not the beginning of what was read ·
 * `ours` a session of this name is here that was not imported · `empty` there is nothing of a conversation in it · `failed` it could not be read or stored.
 */
export type ImportOutcome = 'imported' | 'extended' | 'unchanged' | 'continued' | 'differs' | 'ours' | 'empty' | 'failed';

export interface ImportedSession {
  format: ImportFormat;
  /** The file or folder it comes from. */
  place: string;
  id: string;
  title: string;
  outcome: ImportOutcome;
  /** Number of entries that were added. */
  added: number;
  /** Reason of the failure, for the log. */
  failure?: string;
}

export interface ImportReport {
  sessions: ImportedSession[];
  issues: ImportIssue[];
  /** Number of lines and files that `issues` reports, and of those beyond its room. */
  issueCount: number;
  /** Number of those in `issueCount` that are not listed. */
  unlisted: number;
  /** Parts that are left out because they are not in a conversation, by file and kind. */
  leftOut: { file: string; kind: string; count: number }[];
  /** Files that look like what can be imported, but are not. */
  unknownFiles: string[];
  isCancelled: boolean;
  /** Error that ended the import early. */
  failure: { code: StorageErrorCode | 'internal'; message: string } | null;
}

const listedIssues = 20_000;

/** Gathers a report in bounded memory: lines in a row are one issue, and what has no room is counted. */
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

  /** Counts something that is left out; `kind` is one of a few. */
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
