import type { EntryData } from '../../../protocol/entries';
import type { ToolFacts } from '../../../protocol/toolFacts';
import { translatable } from '../../../types/texts';
import { t } from '../../../utils/l10n';
import { rebasedText } from '../../../utils/text/rebasedText';
import { plainLineEnds } from '../../../utils/text/textFile';
import { unifiedDiff, type DiffNames, type DiffSummary } from '../../../utils/text/unifiedDiff';
import type { AccessReason, AccessTarget, FileAccess } from '../../approvals/fileAccess';
import type { ApprovalQuestion } from '../../kernel/approvalQuestion';
import { FileError } from '../../../services/files/fileError';
import type { ChangedHashes, FileChanges } from '../../../services/files/fileChanges';
import type { TextState } from '../../../services/files/fileState';
import type { EditAids } from '../../kernel/modelAids';
import type { DiagnosticsPort, DiagnosticsWatcher } from '../../kernel/ports';
import { joined, placesNow } from './failedPlace';
import { problemReport } from './problemReport';
import { mayRead } from '../../approvals/readConsent';
import { failure } from '../kernel/toolFailure';
import type { ToolContext, ToolResult } from '../kernel/tool';
import { writeErrorResult } from './writeErrorResult';

/** Services that all tools for file changes use. */
export interface EditServices {
  access: FileAccess;
  changes: FileChanges;
  diagnostics: DiagnosticsPort & DiagnosticsWatcher;
  aids: EditAids;
}

/** Row format of a tool that edits part of a file. */
export const editedFile: Omit<ToolFacts, 'effect'> = {
  family: 'edit',
  titles: translatable({
    done: 'Edited {0}',
    running: 'Editing {0}',
    planned: 'Edit {0}',
    failed: 'Could not edit {0}',
    stopped: 'Did not edit {0}',
  }),
  about: { kind: 'file', argument: 'path' },
};

type Change = Pick<EntryData<'file_edit'>, 'path' | 'newPath' | 'operation'> & {
  names: DiffNames;
  before: string;
  after: string;
};

type RevealTarget = Pick<AccessTarget, 'shown' | 'reasons' | 'readReasons'>;

/** Asks the user if there are reasons that require approval. If the user declines, resolves with the result for the model. */
export async function askIfNeeded(
  change: Change,
  given: readonly AccessReason[],
  context: ToolContext,
): Promise<ToolResult | null> {
  const reasons = change.operation === 'delete' ? [...context.callReasons, ...given] : given;
  if (reasons.length === 0) return null;
  const { path, newPath, operation } = change;
  const about = { path, operation, diff: createDiff(change).diff, reasons: [...new Set(reasons.map(({ local }) => local))] };
  const question = { ...about, ...(newPath !== undefined && { newPath }), ...chooseSeverity(reasons) };
  if (await context.approve({ kind: 'edit', ...question })) return null;
  return rejected(path);
}

/** Returns the high severity for a grave change, so that the user does not approve it by accident. */
export function chooseSeverity(reasons: readonly AccessReason[]): Pick<ApprovalQuestion, 'severity'> {
  return reasons.some(({ isGrave }) => isGrave === true) ? { severity: 'high' } : {};
}

/**
 * Asks before a result reveals unapproved file content. If the user declines, resolves with the
 * same result as for a rejected change. The model therefore cannot test guesses about the content.
 */
export async function confirmReveal(told: RevealTarget, context: ToolContext): Promise<ToolResult | null> {
  return (await mayRead(told, context)) ? null : rejected(told.shown);
}

/** Returns whether facts about a file may be revealed, because the user has approved or no approval is needed. */
export function mayReveal({ reasons, readReasons }: RevealTarget): boolean {
  return readReasons.length === 0 || reasons.length > 0;
}

export async function logEdit(change: Change, hashes: ChangedHashes, context: ToolContext): Promise<DiffSummary> {
  const { path, newPath, operation } = change;
  const diff = createDiff(change);
  const about = { path, operation, ...(newPath !== undefined && { newPath }) };
  await context.recordEdit({ ...about, ...diff, beforeHash: hashes.beforeHash, afterHash: hashes.afterHash });
  return diff;
}

function createDiff({ names, before, after }: Change): DiffSummary {
  return unifiedDiff(names, plainLineEnds(before), plainLineEnds(after));
}

/** Replaces the text of a file. Returns a result with the changed lines and the problems. `onWritten` receives the new text. */
export async function changeText(
  file: TextState,
  text: string,
  access: RevealTarget,
  { changes, diagnostics }: EditServices,
  context: ToolContext,
  onWritten: (text: string) => void = () => undefined,
): Promise<ToolResult> {
  const { shown, real } = file.target;
  if (text === file.text) return (await confirmReveal(access, context)) ?? unchanged(shown);
  const refused = context.refuses?.(file.text, text) ?? null;
  if (refused) return (await confirmReveal(access, context)) ?? refused;
  const names = { before: shown, after: shown };
  const change = { path: shown, operation: 'modify' as const, names, before: file.text, after: text };
  const declined = await askIfNeeded(change, access.reasons, context);
  if (declined) return declined;
  const watch = diagnostics.watch(real);
  try {
    const written = await changes.write(file, text, context);
    onWritten(written.text);
    const { additions, deletions } = await logEdit({ ...change, before: written.before, after: written.text }, written, context);
    const notes = [`Changed ${shown}: ${formatCounts(additions, deletions)}.`];
    const unformatted = rebasedText(file.text, text, written.before) ?? text;
    if (plainLineEnds(written.text) !== plainLineEnds(unformatted))
      notes.push('The editor formatted it on saving; read it before you change it again.');
    if (mayReveal(access)) notes.push(...problemReport(shown, await watch.changes(context.signal), context));
    return { status: 'success', content: notes.join('\n'), summary: `+${additions} −${deletions}`, details: { path: shown } };
  } catch (error) {
    const result = await changedMeanwhileResult(error, { file, wanted: text, access }, changes);
    if (result === null) throw error;
    return result;
  } finally {
    watch.dispose();
  }
}

/** Returns the result for lines that someone else changed at the same time, with their current text. Returns null for other errors. */
export async function changedMeanwhileResult(
  error: unknown,
  { file, wanted, access }: { file: TextState; wanted: string; access: RevealTarget },
  changes: FileChanges,
): Promise<ToolResult | null> {
  if (!(error instanceof FileError && error.reason === 'changed')) return null;
  const { shown } = file.target;
  const result = failure({ local: t('changed in the meantime'), english: error.modelMessage });
  const now = mayReveal(access) ? await changes.readText(file.target).catch(() => null) : null;
  const regions = now === null ? [] : placesNow(file.text, wanted, now.text);
  const [first] = regions;
  if (first === undefined) return result;
  return {
    ...result,
    content: `${shown} was changed in the meantime, so nothing was written. Its text there now, with line numbers that are not part of it:\n${joined(regions)}`,
    details: { path: shown, startLine: first.startLine, endLine: first.endLine },
  };
}

/** Returns the file to edit. Throws `FileError` `missing` if it does not exist. */
export async function fileToEdit(path: string, { access }: EditServices, { sessionId }: ToolContext): Promise<AccessTarget> {
  const target = await access.forWriting(path, sessionId);
  if (target.exists) return target;
  const english = `There is no file ${target.shown}. Use create_file for a new file.`;
  throw new FileError('missing', { local: t('There is no file {0}.', target.shown), english });
}

/** Runs `work`. Converts write errors that only the user can fix to results. */
export async function withWriteErrors(shown: string, work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    const obstacle = writeErrorResult(error, shown);
    if (obstacle === undefined) throw error;
    return obstacle;
  }
}

export function linesText(count: number): string {
  return `${count} ${count === 1 ? 'line' : 'lines'}`;
}

function formatCounts(additions: number, deletions: number): string {
  const parts = [];
  if (additions > 0) parts.push(`${linesText(additions)} added`);
  if (deletions > 0) parts.push(`${linesText(deletions)} removed`);
  return parts.length === 0 ? 'only line ends or spaces' : parts.join(', ');
}

function rejected(path: string): ToolResult {
  const content = `The user rejected this change of ${path}, so nothing was changed. Go on without it, or ask what they want instead.`;
  return { status: 'denied', content, summary: t('rejected') };
}

export function unchanged(shown: string): ToolResult {
  const content = `${shown} already has exactly this text, so nothing was changed.`;
  return { status: 'success', content, summary: t('unchanged'), details: { path: shown } };
}
