import * as vscode from 'vscode';
import { formatNumber } from '../types/format';
import type { ImportedSession, ImportFormat, ImportOutcome, ImportReport, IssueReason } from '../services/import/importReport';
import { shortened } from '../types/cutText';

/** Summarizes an import. `isProblem` is true if a part was not imported. */
export function importSummary(report: ImportReport): { text: string; isProblem: boolean } {
  const count = (...outcomes: ImportOutcome[]): number =>
    report.sessions.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const fresh = count('imported');
  const grown = count('extended');
  const same = count('unchanged');
  const entries = report.sessions.reduce((sum, { added }) => sum + added, 0);
  const parts = [
    report.isCancelled ? vscode.l10n.t('The import was cancelled. Chats that were already imported are kept.') : '',
    report.sessions.length === 0 && !report.isCancelled ? vscode.l10n.t('No chats were found.') : '',
    fresh === 1
      ? vscode.l10n.t('1 chat was imported, with {0} entries.', formatNumber(entries))
      : fresh > 1
        ? vscode.l10n.t('{0} chats were imported, with {1} entries.', formatNumber(fresh), formatNumber(entries))
        : '',
    grown === 1
      ? vscode.l10n.t('1 chat was updated.')
      : grown > 1
        ? vscode.l10n.t('{0} chats were updated.', formatNumber(grown))
        : '',
    same === 1
      ? vscode.l10n.t('1 chat was already imported.')
      : same > 1
        ? vscode.l10n.t('{0} chats were already imported.', formatNumber(same))
        : '',
    ...unchangedReasons.map((outcome) => (count(outcome) === 0 ? '' : unchangedText(outcome, count(outcome)))),
    report.unknownFiles.length === 0 ? '' : vscode.l10n.t('Files without chats: {0}.', formatNumber(report.unknownFiles.length)),
    report.issueCount === 0 ? '' : vscode.l10n.t('Lines or files with problems: {0}.', formatNumber(report.issueCount)),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  return {
    text,
    isProblem:
      count('continued', 'differs', 'ours', 'failed') > 0 ||
      report.issueCount > 0 ||
      report.unknownFiles.length > 0 ||
      report.isCancelled,
  };
}

const unchangedReasons = ['continued', 'differs', 'ours', 'empty', 'failed'] as const;

function unchangedText(outcome: (typeof unchangedReasons)[number], count: number): string {
  const chats = formatNumber(count);
  const isOne = count === 1;
  switch (outcome) {
    case 'continued':
      return isOne
        ? vscode.l10n.t('1 chat was not updated because you continued it here.')
        : vscode.l10n.t('{0} chats were not updated because you continued them here.', chats);
    case 'differs':
      return isOne
        ? vscode.l10n.t('1 chat was not updated because its beginning is different.')
        : vscode.l10n.t('{0} chats were not updated because their beginning is different.', chats);
    case 'ours':
      return isOne
        ? vscode.l10n.t('1 chat was not imported because it is already in the history.')
        : vscode.l10n.t('{0} chats were not imported because they are already in the history.', chats);
    case 'empty':
      return isOne
        ? vscode.l10n.t('1 chat was not imported because it contains no messages.')
        : vscode.l10n.t('{0} chats were not imported because they contain no messages.', chats);
    case 'failed':
      return isOne
        ? vscode.l10n.t('1 chat was not imported because it could not be read.')
        : vscode.l10n.t('{0} chats were not imported because they could not be read.', chats);
  }
}

export function importReportText(report: ImportReport): string {
  const { sessions, issues, leftOut, unknownFiles } = report;
  const lines = [`# ${vscode.l10n.t('Import report')}`, '', importSummary(report).text, ''];
  const section = (title: string, items: readonly string[]): void => {
    if (items.length > 0) lines.push(`## ${title}`, '', ...items, '');
  };
  section(vscode.l10n.t('Sessions'), sessions.map(sessionLine));
  section(
    vscode.l10n.t('Problems'),
    issues.map(({ file, lines: range, reason, detail }) => {
      const place = range === null ? '' : `${range[0] === range[1] ? `:${range[0]}` : `:${range[0]}-${range[1]}`}`;
      return `- ${plain(file)}${place}: ${reasonText(reason)}${detail === undefined ? '' : ` (${plain(detail)})`}`;
    }),
  );
  if (report.unlisted > 0) lines.push(vscode.l10n.t('And {0} more.', formatNumber(report.unlisted)), '');
  section(
    vscode.l10n.t('Skipped because it is not part of a chat'),
    leftOut.map(({ file, kind, count }) => `- ${plain(file)}: ${count} × ${kindText(kind)}`),
  );
  section(
    vscode.l10n.t('Files without chats'),
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
      return vscode.l10n.t('Exported chat');
  }
}

function outcomeText(outcome: ImportOutcome, added: number): string {
  switch (outcome) {
    case 'imported':
      return vscode.l10n.t('imported, {0} entries', formatNumber(added));
    case 'extended':
      return vscode.l10n.t('updated, {0} entries added', formatNumber(added));
    case 'unchanged':
      return vscode.l10n.t('already imported');
    case 'continued':
      return vscode.l10n.t('not updated, because you continued this chat here');
    case 'differs':
      return vscode.l10n.t('not updated, because it does not begin with the entries that were imported before');
    case 'ours':
      return vscode.l10n.t('not imported, because it is already in the history');
    case 'empty':
      return vscode.l10n.t('not imported, because it contains no messages');
    case 'failed':
      return vscode.l10n.t('not imported, because it could not be read');
  }
}

function reasonText(reason: IssueReason): string {
  switch (reason) {
    case 'notJson':
      return vscode.l10n.t('not JSON');
    case 'notUtf8':
      return vscode.l10n.t('not UTF-8 text');
    case 'tooLong':
      return vscode.l10n.t('longer than 64 MB');
    case 'tooDeep':
      return vscode.l10n.t('nested too deeply');
    case 'unknownForm':
      return vscode.l10n.t('unknown format');
    case 'unknownPart':
      return vscode.l10n.t('part of it has an unknown format');
    case 'repeated':
      return vscode.l10n.t('an earlier entry has the same ID');
    case 'otherSession':
      return vscode.l10n.t('belongs to another chat');
    case 'noTime':
      return vscode.l10n.t('imported without a timestamp, so it is placed after the previous entry');
    case 'unreadable':
      return vscode.l10n.t('could not be read');
    case 'noSession':
      return vscode.l10n.t('imported, but its session.json cannot be read');
    case 'unknownStatus':
      return vscode.l10n.t('imported as idle, because its status is unknown');
    case 'noTranscript':
      return vscode.l10n.t('transcript.jsonl is missing');
    case 'tooLarge':
      return vscode.l10n.t('not imported, because the database is larger than 1 GB');
    case 'damaged':
      return vscode.l10n.t('damaged database');
    case 'otherDatabase':
      return vscode.l10n.t('database of another program');
    case 'unsafeFile':
      return vscode.l10n.t('a restore point contains a file outside the folder of the chat');
    case 'noContent':
      return vscode.l10n.t('the content of a file in a restore point is missing or damaged');
    case 'noSuchSession':
      return vscode.l10n.t('restore point whose chat was not found');
    case 'noLance':
      return vscode.l10n.t('messages in LanceDB, which need the Ollama Copilot package for your platform');
    case 'noRoot':
      return vscode.l10n.t('restore points skipped, because the chat specifies no folder');
  }
}

function kindText(kind: string): string {
  switch (kind) {
    case 'subagent':
      return vscode.l10n.t('messages and tool calls of subagents');
    case 'meta':
      return vscode.l10n.t('program notes to the model');
    case 'redacted_thinking':
      return vscode.l10n.t('encrypted thinking');
    case 'restorePoint':
      return vscode.l10n.t('references to missing restore points');
    case 'ui':
      return vscode.l10n.t('entries that only an earlier version displayed');
    case 'compacted':
      return vscode.l10n.t('markers of summarized entries whose summary is missing');
    case 'memory':
      return vscode.l10n.t('memory of the chat');
    case 'settings':
      return vscode.l10n.t('settings and permissions of the chat');
    case 'checkpoint':
      return vscode.l10n.t('checkpoints whose files are not in the database');
    case 'system':
      return vscode.l10n.t('program notes');
    default:
      return kind;
  }
}

/** Puts untrusted text, such as a name, on one line. */
function plain(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return shortened(line, 500);
}
