import * as vscode from 'vscode';
import type { ImportedSession, ImportFormat, ImportOutcome, ImportReport, IssueReason } from '../services/import/importReport';

/** Sums up an import in a few sentences; `isProblem` if not all of it could be imported. */
export function importSummary(report: ImportReport): { text: string; isProblem: boolean } {
  const count = (...outcomes: ImportOutcome[]): number =>
    report.sessions.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const [fresh, grown, same] = [count('imported'), count('extended'), count('unchanged')];
  const left = count('continued', 'differs', 'ours', 'failed');
  const entries = report.sessions.reduce((sum, { added }) => sum + added, 0);
  const parts = [
    report.isCancelled ? vscode.l10n.t('The import was cancelled; what was done by then stays.') : '',
    report.sessions.length === 0 && !report.isCancelled ? vscode.l10n.t('No sessions were found there.') : '',
    fresh === 1
      ? vscode.l10n.t('1 session was imported, with {0} entries.', entries)
      : fresh > 1
        ? vscode.l10n.t('{0} sessions were imported, with {1} entries.', fresh, entries)
        : '',
    grown === 0 ? '' : vscode.l10n.t('Brought up to date: {0}.', grown),
    same === 0 ? '' : vscode.l10n.t('Here already: {0}.', same),
    left === 0 ? '' : vscode.l10n.t('Not imported: {0}.', left),
    report.issueCount === 0 ? '' : vscode.l10n.t('Lines or files that could not be taken as they are: {0}.', report.issueCount),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  return { text, isProblem: left > 0 || report.issueCount > 0 || report.unknownFiles.length > 0 || report.isCancelled };
}

/** Formats the whole report for a person to read. */
export function importReportText(report: ImportReport): string {
  const { sessions, issues, leftOut, unknownFiles } = report;
  const lines = [`# ${vscode.l10n.t('Import report')}`, '', importSummary(report).text, ''];
  const section = (title: string, items: readonly string[]): void => {
    if (items.length > 0) lines.push(`## ${title}`, '', ...items, '');
  };
  section(vscode.l10n.t('Sessions'), sessions.map(sessionLine));
  section(
    vscode.l10n.t('What could not be taken as it is'),
    issues.map(({ file, lines: range, reason, detail }) => {
      const place = range === null ? '' : `${range[0] === range[1] ? `:${range[0]}` : `:${range[0]}-${range[1]}`}`;
      return `- ${plain(file)}${place}: ${reasonText(reason)}${detail === undefined ? '' : ` (${plain(detail)})`}`;
    }),
  );
  if (report.unlisted > 0) lines.push(vscode.l10n.t('And {0} more that are not listed.', report.unlisted), '');
  section(
    vscode.l10n.t('Left out, as it is no part of a conversation'),
    leftOut.map(({ file, kind, count }) => `- ${plain(file)}: ${count} × ${kindText(kind)}`),
  );
  section(
    vscode.l10n.t('Files that hold no sessions'),
    unknownFiles.map((file) => `- ${plain(file)}`),
  );
  return lines.join('\n');
}

function sessionLine({ format, place, title, id, outcome, added, failure }: ImportedSession): string {
  const name = plain(title) || id;
  const how = outcomeText(outcome, added);
  return `- ${name}: ${how}${failure === undefined ? '' : ` (${plain(failure)})`}. ${formatText(format)}, ${plain(place)}`;
}

function formatText(format: ImportFormat): string {
  switch (format) {
    case 'claudeCode':
      return vscode.l10n.t('Claude Code');
    case 'codeSession':
      return vscode.l10n.t('Code session');
    case 'database':
      return vscode.l10n.t('Database');
    case 'exported':
      return vscode.l10n.t('Exported session');
  }
}

function outcomeText(outcome: ImportOutcome, added: number): string {
  switch (outcome) {
    case 'imported':
      return vscode.l10n.t('imported, {0} entries', added);
    case 'extended':
      return vscode.l10n.t('brought up to date, {0} entries more', added);
    case 'unchanged':
      return vscode.l10n.t('here already');
    case 'continued':
      return vscode.l10n.t('left as it is, because it was continued here');
    case 'differs':
      return vscode.l10n.t('left as it is, because what was imported before is not its beginning');
    case 'ours':
      return vscode.l10n.t('left as it is, because a session of this name is here that was not imported');
    case 'empty':
      return vscode.l10n.t('not imported, because there is no conversation in it');
    case 'failed':
      return vscode.l10n.t('not imported, because it could not be read');
  }
}

function reasonText(reason: IssueReason): string {
  switch (reason) {
    case 'notJson':
      return vscode.l10n.t('no JSON');
    case 'notUtf8':
      return vscode.l10n.t('not text in UTF-8');
    case 'tooLong':
      return vscode.l10n.t('longer than 64 MB');
    case 'tooDeep':
      return vscode.l10n.t('nested too deeply');
    case 'unknownForm':
      return vscode.l10n.t('not of a form that is known');
    case 'unknownPart':
      return vscode.l10n.t('a part of it is not of a form that is known');
    case 'repeated':
      return vscode.l10n.t('an entry with this name came before');
    case 'otherSession':
      return vscode.l10n.t('belongs to another session');
    case 'noTime':
      return vscode.l10n.t('imported, but it has no time, so it got one after the entry before');
    case 'unreadable':
      return vscode.l10n.t('could not be read');
    case 'noSession':
      return vscode.l10n.t('imported, but its session.json cannot be read');
    case 'unknownStatus':
      return vscode.l10n.t('imported as idle, because its status is not known');
    case 'noTranscript':
      return vscode.l10n.t('there is no transcript.jsonl');
    case 'tooLarge':
      return vscode.l10n.t('a database of more than 1 GB, which cannot be read');
    case 'damaged':
      return vscode.l10n.t('a database that is damaged');
    case 'otherDatabase':
      return vscode.l10n.t('a database of another program');
    case 'unsafeFile':
      return vscode.l10n.t('a file of a restore point that is not below the folder of the session');
    case 'noContent':
      return vscode.l10n.t('the content of a file of a restore point is not there, or is damaged');
    case 'noSuchSession':
      return vscode.l10n.t('a restore point of a session that is not there');
    case 'noLance':
      return vscode.l10n.t('messages in LanceDB, which only the package for your platform can read');
    case 'noRoot':
      return vscode.l10n.t('its restore points are left out, because it names no folder');
  }
}

function kindText(kind: string): string {
  switch (kind) {
    case 'subagent':
      return vscode.l10n.t('what subagents said and did');
    case 'meta':
      return vscode.l10n.t('notes of the program to the model');
    case 'redacted_thinking':
      return vscode.l10n.t('encrypted thinking');
    case 'restorePoint':
      return vscode.l10n.t('names of restore points that are not there');
    case 'ui':
      return vscode.l10n.t('what only the view of an earlier version showed');
    case 'compacted':
      return vscode.l10n.t('marks of entries that a summary stood for, without that summary');
    case 'memory':
      return vscode.l10n.t('memory of the session');
    case 'settings':
      return vscode.l10n.t('what was set and allowed for the session');
    case 'checkpoint':
      return vscode.l10n.t('checkpoints, whose files are not in the database');
    case 'system':
      return vscode.l10n.t('notes of the program');
    default:
      return kind;
  }
}

/** Puts a text on one line: names come from elsewhere. */
function plain(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}
