import type { FileDiagnostic } from '../../kernel/ports';
import type { ToolContext } from '../kernel/tool';
import { cutHead } from '../../../types/cutText';

const maxShown = 10;
const maxMessageLength = 300;

const order: readonly FileDiagnostic['severity'][] = ['error', 'warning', 'information', 'hint'];

type Offering = Pick<ToolContext, 'offers'>;
type ShownProblem = FileDiagnostic & { shown: string };

/** Returns the report for the model about problems in a changed file. New problems come first, and errors before warnings. */
export function problemReport(
  shown: string,
  { before, after }: { before: readonly FileDiagnostic[]; after: readonly FileDiagnostic[] },
  context: Offering,
): string[] {
  const grave = errorsAndWarnings(after);
  const isNew = new Set(findNew(before, grave, createKey));
  const fresh = sorted(grave.filter((problem) => isNew.has(problem)));
  const others = sorted(grave.filter((problem) => !isNew.has(problem)));
  if (fresh.length === 0) {
    return others.length === 0 ? [] : [`The editor reports no new problems in it; ${others.length} were there before.`];
  }
  const report = newLines(
    fresh.map((problem) => ({ ...problem, shown })),
    'it',
    context,
  );
  if (others.length > 0) report.push(`[${others.length} more were there before.]`);
  return report;
}

/** Returns the new errors and warnings of several files. */
export function newProblemsElsewhere(before: readonly FileDiagnostic[], after: readonly FileDiagnostic[]): FileDiagnostic[] {
  return findNew(before, errorsAndWarnings(after), (problem) => `${problem.file}\0${createKey(problem)}`);
}

export function reportElsewhere(problems: readonly ShownProblem[], context: Offering): string[] {
  if (problems.length === 0) return [];
  return newLines(
    [...problems].sort((one, other) => byProblemSeverity(one, other) || (one.shown < other.shown ? -1 : 1)),
    'other files',
    context,
  );
}

function newLines(fresh: readonly ShownProblem[], where: string, { offers }: Offering): string[] {
  const report = [`The editor now reports ${fresh.length === 1 ? 'a new problem' : `${fresh.length} new problems`} in ${where}:`];
  report.push(...fresh.slice(0, maxShown).map((problem) => formatProblem(problem.shown, problem)));
  if (fresh.length > maxShown) {
    const teller = offers('get_diagnostics') ? 'get_diagnostics' : 'the compiler or linter, run as a command,';
    report.push(`[${fresh.length - maxShown} more; ${teller} tells all.]`);
  }
  return report;
}

/** Formats a problem as one line for a model. */
export function formatProblem(shown: string, { line, column, severity, message, source }: FileDiagnostic): string {
  const text = message.replace(/\s+/g, ' ').trim();
  const cut = text.length > maxMessageLength ? `${cutHead(text, maxMessageLength)}…` : text;
  return `${shown}:${line}:${column}: ${severity}: ${cut}${source === undefined ? '' : ` (${source})`}`;
}

export function byProblemSeverity(one: FileDiagnostic, other: FileDiagnostic): number {
  return order.indexOf(one.severity) - order.indexOf(other.severity);
}

function sorted(problems: FileDiagnostic[]): FileDiagnostic[] {
  return problems.sort((one, other) => byProblemSeverity(one, other) || one.line - other.line || one.column - other.column);
}

function errorsAndWarnings(problems: readonly FileDiagnostic[]): FileDiagnostic[] {
  return problems.filter(({ severity }) => severity === 'error' || severity === 'warning');
}

/** Returns problems that occur more often than before. */
function findNew(
  before: readonly FileDiagnostic[],
  after: readonly FileDiagnostic[],
  key: (problem: FileDiagnostic) => string,
): FileDiagnostic[] {
  const old = new Map<string, number>();
  for (const problem of before) old.set(key(problem), (old.get(key(problem)) ?? 0) + 1);
  return after.filter((problem) => {
    const left = old.get(key(problem)) ?? 0;
    old.set(key(problem), left - 1);
    return left <= 0;
  });
}

/** Returns the key for comparing problems. It has no position, because an edit moves the lines below it. */
function createKey({ severity, message, source }: FileDiagnostic): string {
  return JSON.stringify([severity, message, source]);
}
