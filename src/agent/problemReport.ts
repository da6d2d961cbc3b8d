import type { FileDiagnostic } from './ports';

const maxShown = 10;
const maxMessageLength = 300;

const order: readonly FileDiagnostic['severity'][] = ['error', 'warning', 'information', 'hint'];

/** What a model is told of the problems of a file that it has changed: new ones first, errors before warnings. */
export function problemReport(
  shown: string,
  { before, after }: { before: readonly FileDiagnostic[]; after: readonly FileDiagnostic[] },
): string[] {
  const grave = after.filter(({ severity }) => severity === 'error' || severity === 'warning');
  const old = countOf(before);
  const isNew = new Set(
    grave.filter((problem) => {
      const left = old.get(keyOf(problem)) ?? 0;
      old.set(keyOf(problem), left - 1);
      return left <= 0;
    }),
  );
  const fresh = sorted(grave.filter((problem) => isNew.has(problem)));
  const others = sorted(grave.filter((problem) => !isNew.has(problem)));
  if (fresh.length === 0) {
    return others.length === 0 ? [] : [`The editor reports no new problems in it; ${others.length} were there before.`];
  }
  const report = [`The editor now reports ${fresh.length === 1 ? 'a new problem' : `${fresh.length} new problems`} in it:`];
  report.push(...fresh.slice(0, maxShown).map((problem) => lineOf(shown, problem)));
  if (fresh.length > maxShown) report.push(`[${fresh.length - maxShown} more; get_diagnostics tells all.]`);
  if (others.length > 0) report.push(`[${others.length} more were there before.]`);
  return report;
}

/** A problem in one line, for a model. */
export function lineOf(shown: string, { line, column, severity, message, source }: FileDiagnostic): string {
  const text = message.replace(/\s+/g, ' ').trim();
  const cut = text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
  return `${shown}:${line}:${column}: ${severity}: ${cut}${source === undefined ? '' : ` (${source})`}`;
}

export function bySeverity(one: FileDiagnostic, other: FileDiagnostic): number {
  return order.indexOf(one.severity) - order.indexOf(other.severity);
}

function sorted(problems: FileDiagnostic[]): FileDiagnostic[] {
  return problems.sort((one, other) => bySeverity(one, other) || one.line - other.line || one.column - other.column);
}

function countOf(problems: readonly FileDiagnostic[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const problem of problems) counts.set(keyOf(problem), (counts.get(keyOf(problem)) ?? 0) + 1);
  return counts;
}

/** Without its place: an edit moves what is below it. */
function keyOf({ severity, message, source }: FileDiagnostic): string {
  return JSON.stringify([severity, message, source]);
}
