import { z } from 'zod';
import { askIfNeeded, linesText, withWriteErrors, logEdit, type EditServices } from './editing';
import { translatable } from '../../../types/texts';
import type { AccessTarget } from '../../approvals/fileAccess';
import { alreadyThere } from '../../../services/files/writeProblems';
import { problemReport } from './problemReport';
import { t } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import { defineTool, type FailedResult, type Tool, type ToolContext, type ToolResult } from '../kernel/tool';
import type { ResolvedPath } from '../../../services/files/workspacePaths';
import { contentAliases, pathAliases } from '../kernel/pathAliases';
import { exists } from '../../../utils/files/exists';

const schema = z.object({
  path: z.string().describe('Path of the new file, relative to the workspace'),
  content: z.string().describe('The whole text of the file'),
});

/** Creates a file and its missing folders. Fails if the path already exists. */
export function createFileTool(services: EditServices): Tool {
  return defineTool({
    name: 'create_file',
    description: 'Create a new text file in the workspace. Missing folders are created. Fails if the path exists already.',
    schema,
    aliases: { ...pathAliases, ...contentAliases },
    effect: 'files',
    row: {
      family: 'edit',
      titles: translatable({
        done: 'Created {0}',
        running: 'Creating {0}',
        planned: 'Create {0}',
        failed: 'Could not create {0}',
        stopped: 'Did not create {0}',
      }),
      several: translatable({ done: 'Created {0} files', running: 'Creating {0} files' }),
      about: { kind: 'file', argument: 'path' },
    },
    label: ({ path }) => path,
    run: async ({ path, content }, context) => {
      const folder = namesFolder(path);
      if (folder) return folder;
      const target = await services.access.forWriting(path, context.sessionId);
      if (await isTaken(target)) throw alreadyThere(target);
      return withWriteErrors(target.shown, () => createText(target, content, services, context));
    },
  });
}

/** Creates a file that does not exist yet, and returns the result. */
export async function createText(
  target: AccessTarget,
  content: string,
  { changes, diagnostics }: EditServices,
  context: ToolContext,
): Promise<ToolResult> {
  const { shown } = target;
  const names = { before: null, after: shown };
  const change = { path: shown, operation: 'create' as const, names, before: '', after: content };
  const rejected = await askIfNeeded(change, target.reasons, context);
  if (rejected) return rejected;
  const watch = diagnostics.watch(target.real);
  try {
    const hashes = await changes.create(target, content, context);
    const { additions } = await logEdit(change, hashes, context);
    const notes = [`Created ${shown} (${linesText(additions)}).`];
    notes.push(...problemReport(shown, await watch.changes(context.signal), context));
    return { status: 'success', content: notes.join('\n'), summary: `+${additions}`, details: { path: shown } };
  } finally {
    watch.dispose();
  }
}

export function namesFolder(path: string): FailedResult | undefined {
  if (!/[\\/]\s*$/.test(path)) return undefined;
  return failure({ local: t('{0} is a folder, not a file.', path), english: `${path} names a folder; give the path of a file.` });
}

export async function isTaken(target: ResolvedPath): Promise<boolean> {
  return target.exists || exists(target.real);
}
