import { posix } from 'node:path';
import { z } from 'zod';
import { FileError } from '../../../services/files/fileError';
import { alreadyThere } from '../../../services/files/writeProblems';
import { translatable } from '../../../types/texts';
import { AppError } from '../../../utils/errors';
import { phrase, t, type Phrase } from '../../../utils/l10n';
import { plainLineEnds, decodeText } from '../../../utils/text/textFile';
import { unifiedDiff } from '../../../utils/text/unifiedDiff';
import type { AccessReason, AccessTarget } from '../../approvals/fileAccess';
import { mayRead } from '../../approvals/readConsent';
import { failure } from '../kernel/toolFailure';
import { defineTool, type FailedResult, type Tool, type ToolContext, type ToolResult } from '../kernel/tool';
import { isTaken, namesFolder } from './createFile';
import {
  changedMeanwhileResult,
  confirmReveal,
  logEdit,
  mayReveal,
  chooseSeverity,
  unchanged,
  type EditServices,
} from './editing';
import { placeNotFound } from './failedPlace';
import { unescapedPatch } from './healing/escapes';
import { correctedDetails, slipNote } from './healing/slipTexts';
import { changePlanned, revertPlanned, type MadeChange, type PatchedFile } from './patchChanges';
import { applyHunks, type Patched } from './patchPlaces';
import { deletesFiles, parsePatch, PatchProblem, type FilePatch } from './patchText';
import { problemReport } from './problemReport';

const schema = z.object({
  patch: z
    .string()
    .min(1)
    .describe('The patch: *** Begin Patch … *** End Patch, or a unified diff. Paths are relative to the workspace'),
});

/** Maximum number of files whose problems are reported after a patch. */
const maxReports = 5;

/** Changes several places in several files atomically. */
export function applyPatchTool(services: EditServices): Tool {
  return defineTool({
    name: 'apply_patch',
    otherNames: ['patch', 'applydiff'],
    description: 'Change several places, or several files, at once: all of it or nothing. For one place use replace_in_file.',
    schema,
    aliases: { diff: 'patch', input: 'patch', content: 'patch', text: 'patch', patchText: 'patch' },
    isOptional: true,
    effect: 'files',
    destroys: ({ patch }) => deletesFiles(unescapedPatch(patch)),
    row: {
      family: 'edit',
      titles: translatable({
        done: 'Applied a patch to {0}',
        running: 'Applying a patch to {0}',
        planned: 'Apply a patch to {0}',
        failed: 'Could not apply a patch to {0}',
        stopped: 'Did not apply a patch to {0}',
      }),
    },
    label: ({ patch }) => createLabel(patch),
    run: async ({ patch }, context) => {
      try {
        const planned = await plan(parsePatch(services.aids.healing ? unescapedPatch(patch) : patch), services, context);
        return Array.isArray(planned) ? await applyPlanned(planned, services, context) : planned;
      } catch (error) {
        if (!(error instanceof PatchProblem)) throw error;
        return failure({ local: error.userMessage, english: `${error.modelMessage} Nothing was changed.` });
      }
    },
  });
}

function createLabel(patch: string): string | undefined {
  try {
    const [first, ...others] = parsePatch(unescapedPatch(patch)).map(({ path }) => path);
    if (first === undefined) return undefined;
    return others.length === 0
      ? first
      : others.length === 1
        ? t('{0} and 1 more file', posix.basename(first))
        : t('{0} and {1} more files', posix.basename(first), others.length);
  } catch {
    return undefined;
  }
}

/** Computes all new texts in memory. If a file cannot be patched, resolves with the error result for the model. */
async function plan(
  patches: readonly FilePatch[],
  services: EditServices,
  context: ToolContext,
): Promise<PatchedFile[] | ToolResult> {
  const planned: PatchedFile[] = [];
  const problems: Phrase[] = [];
  const unapproved: AccessTarget[] = [];
  const notFound: FailedResult['details'][] = [];
  for (const patch of patches) {
    try {
      const target = await services.access.forWriting(patch.path, context.sessionId);
      if (planned.some((one) => [one.target.real, one.to?.real].includes(target.real)))
        throw new PatchProblem(`${target.shown} is in the patch twice.`, t('{0} is in the patch twice.', target.shown));
      planned.push(
        await plannedFile(patch, target, services, context, ({ content, summary, details }) => {
          if (!mayReveal(target)) unapproved.push(target);
          problems.push({ local: summary, english: content });
          notFound.push(details);
        }),
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problems.push({ local: error.userMessage, english: error.modelMessage });
    }
  }
  for (const target of unapproved) {
    if (await mayRead(target, context)) continue;
    return {
      status: 'denied',
      content: `The user rejected this change of ${target.shown}, so nothing was changed.`,
      summary: t('rejected'),
    };
  }
  if (problems.length > 0) {
    const result = failure({
      local: problems.map(({ local }) => local).join('\n'),
      english: ['Nothing was changed in any file.', ...problems.map(({ english }) => english)].join('\n'),
    });
    const files = notFound.map((details) => details?.['notFoundIn']).join('\n');
    return notFound.length === 0 ? result : { ...result, details: { ...notFound[0], notFoundIn: files } };
  }
  const [first] = planned;
  const isSame = ({ operation, before, after }: PatchedFile) => operation === 'modify' && before === after;
  if (planned.length > 1 || first === undefined || !isSame(first)) return planned;
  return (await confirmReveal(first.target, context)) ?? unchanged(first.target.shown);
}

async function plannedFile(
  patch: FilePatch,
  target: AccessTarget,
  { access, changes, aids }: EditServices,
  context: ToolContext,
  onProblem: (result: FailedResult) => void,
): Promise<PatchedFile> {
  const { shown } = target;
  if (patch.kind === 'create') {
    const folder = namesFolder(patch.path);
    if (folder) throw new PatchProblem(folder.content, folder.summary);
    if (await isTaken(target)) throw alreadyThere(target);
    return { operation: 'create', target, to: undefined, file: undefined, before: '', after: patch.text };
  }
  if (!target.exists) throw new FileError('missing', phrase('There is no file {0}.', shown));
  if (patch.kind === 'delete') {
    await access.paths.assertNoLink(patch.path);
    const file = await changes.readFile(target);
    return { operation: 'delete', target, to: undefined, file, before: decodeText(file.bytes)?.text ?? '', after: '' };
  }
  const file = await changes.readText(target);
  const result: Patched = patch.hunks.length === 0 ? { text: file.text } : applyHunks(file.text, patch.hunks, aids);
  if ('problem' in result) {
    const { local, english } = result.problem;
    onProblem(
      placeNotFound(
        { local: `${shown}: ${local}`, english: `${shown}: ${english}` },
        { shown, text: file.text, asked: result.asked, aids },
        context,
      ),
    );
  }
  const after = 'text' in result ? result.text : file.text;
  const slips = 'text' in result && result.slips !== undefined ? { slips: result.slips } : {};
  if (patch.newPath === undefined)
    return { operation: 'modify', target, to: undefined, file, before: file.text, after, ...slips };
  await access.paths.assertNoLink(patch.path);
  const to = await access.forWriting(patch.newPath, context.sessionId);
  if (await isTaken(to)) throw alreadyThere(to);
  return { operation: 'rename', target, to, file, before: file.text, after, ...slips };
}

/** Asks once for all files, then changes them one by one. If a change fails, reverts the completed changes. */
async function applyPlanned(planned: readonly PatchedFile[], services: EditServices, context: ToolContext): Promise<ToolResult> {
  const denied = await askOnce(planned, context);
  if (denied !== null) return denied;
  const made: MadeChange[] = [];
  const watches = new Map(planned.map((one) => [one, services.diagnostics.watch((one.to ?? one.target).real)]));
  try {
    for (const one of planned) {
      try {
        made.push(await changePlanned(one, services, context));
      } catch (error) {
        const left = await revertPlanned([...made].reverse(), services, context);
        const why = error instanceof AppError ? error.modelMessage : undefined;
        if (why === undefined && left.length === 0) throw error;
        const rest = left.length === 0 ? 'Nothing was changed in any file.' : `These stay changed: ${left.join(', ')}.`;
        const result = await changedResult(error, one, services);
        if (result !== null) return { ...result, content: `${result.content}\n${rest}` };
        const reason = error instanceof AppError ? error.userMessage : t('unexpected error');
        return failure({
          local: `${one.target.shown}: ${reason}${left.length === 0 ? '' : ` ${t('These files stay changed: {0}.', left.join(', '))}`}`,
          english: `${one.target.shown}: ${why ?? String(error)} ${rest}`,
        });
      }
    }
    let additions = 0;
    let deletions = 0;
    const notes: string[] = [];
    for (const { one, hashes, before, after } of made) {
      const diff = await logEdit({ ...toEdit(one), before, after }, hashes, context);
      additions += diff.additions;
      deletions += diff.deletions;
      notes.push(`${operationNames[one.operation]} ${(one.to ?? one.target).shown}: +${diff.additions} −${diff.deletions}`);
      if (mayReveal(one.target)) notes.push(...(one.slips ?? []).map((slip) => slipNote(`A part of it`, slip)));
    }
    for (const { one } of made.slice(0, maxReports)) {
      const watch = watches.get(one);
      if (watch === undefined || one.operation === 'delete' || !mayReveal(one.target)) continue;
      notes.push(...problemReport((one.to ?? one.target).shown, await watch.changes(context.signal), context));
    }
    const slips = [...new Set(made.flatMap(({ one }) => one.slips ?? []))];
    const details = correctedDetails(slips);
    return { status: 'success', content: notes.join('\n'), summary: `+${additions} −${deletions}`, details };
  } finally {
    for (const watch of watches.values()) watch.dispose();
  }
}

async function changedResult(
  error: unknown,
  { operation, file, target, after }: PatchedFile,
  { changes }: EditServices,
): Promise<ToolResult | null> {
  if (operation !== 'modify' || file === undefined || !('text' in file)) return null;
  return changedMeanwhileResult(error, { file, wanted: after, access: target }, changes);
}

const operationNames = { create: 'Created', modify: 'Changed', delete: 'Deleted', rename: 'Renamed to' } as const;

function toEdit({ operation, target, to, before, after }: PatchedFile): Parameters<typeof logEdit>[0] {
  const names = {
    before: operation === 'create' ? null : target.shown,
    after: operation === 'delete' ? null : (to ?? target).shown,
  };
  return { path: target.shown, ...(to && { newPath: to.shown }), operation, names, before, after };
}

async function askOnce(planned: readonly PatchedFile[], context: ToolContext): Promise<ToolResult | null> {
  const isSeveral = planned.length > 1;
  const listReasons = ({ operation, target, to }: PatchedFile): readonly AccessReason[] => [
    ...(operation === 'delete' ? context.callReasons : []),
    ...target.reasons,
    ...(to?.reasons ?? []),
  ];
  const reasons = planned.flatMap((one) => {
    const { operation, target, file } = one;
    const words = listReasons(one).map(({ local }) => local);
    if (operation === 'delete' && file?.document?.isDirty === true) words.push(t('has unsaved changes'));
    return isSeveral ? words.map((word) => `${target.shown}: ${word}`) : words;
  });
  const [first] = planned;
  if (reasons.length === 0 || first === undefined) return null;
  const diff = planned
    .map((one) => {
      const { names, before, after } = toEdit(one);
      return unifiedDiff(names, plainLineEnds(before), plainLineEnds(after)).diff;
    })
    .join('\n');
  const others = planned.length - 1;
  const path = others === 0 ? first.target.shown : planned.map(formatNames).join(', ');
  const question = { kind: 'edit' as const, path, operation: first.operation, diff, reasons: [...new Set(reasons)] };
  const severity = chooseSeverity(planned.flatMap(listReasons));
  if (await context.approve({ ...question, ...severity, ...(others === 0 && first.to && { newPath: first.to.shown }) }))
    return null;
  const content = `The user rejected this patch of ${path}, so nothing was changed. Go on without it, or ask what they want instead.`;
  return { status: 'denied', content, summary: t('rejected') };
}

/** Returns the name of a patched file, and the new name of a renamed file. */
function formatNames({ target, to }: PatchedFile): string {
  return to === undefined ? target.shown : `${target.shown} → ${to.shown}`;
}
