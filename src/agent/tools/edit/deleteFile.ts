import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { phrase } from '../../../utils/l10n';
import { decodeText } from '../../../utils/text/textFile';
import { askIfNeeded, linesText, withWriteErrors, logEdit, type EditServices } from './editing';
import { FileError } from '../../../services/files/fileError';
import { defineTool, type Tool } from '../kernel/tool';
import { pathAliases } from '../kernel/pathAliases';

const schema = z.object({ path: z.string().describe('Path of the file, relative to the workspace') });

/** Deletes one file. Does not delete folders or symbolic links. */
export function deleteFileTool(services: EditServices): Tool {
  return defineTool({
    name: 'delete_file',
    description: 'Delete a file of the workspace. Folders are not deleted.',
    schema,
    aliases: pathAliases,
    effect: 'files',
    destroys: () => true,
    row: {
      family: 'edit',
      titles: translatable({
        done: 'Deleted {0}',
        running: 'Deleting {0}',
        planned: 'Delete {0}',
        failed: 'Could not delete {0}',
        stopped: 'Did not delete {0}',
      }),
      about: { kind: 'removedFile', argument: 'path' },
    },
    label: ({ path }) => path,
    run: async ({ path }, context) => {
      const target = await services.access.forWriting(path, context.sessionId);
      const { shown } = target;
      if (!target.exists) throw new FileError('missing', phrase('There is no file {0}.', shown));
      await services.access.paths.assertNoLink(path);
      return withWriteErrors(shown, async () => {
        const file = await services.changes.readFile(target);
        const before = decodeText(file.bytes)?.text ?? '';
        const names = { before: shown, after: null };
        const change = { path: shown, operation: 'delete' as const, names, before, after: '' };
        const reasons = file.document?.isDirty === true ? [phrase('has unsaved changes'), ...target.reasons] : target.reasons;
        const rejected = await askIfNeeded(change, reasons, context);
        if (rejected) return rejected;
        const hashes = await services.changes.remove(file, context);
        const { deletions } = await logEdit(change, hashes, context);
        const content = `Deleted ${shown} (${linesText(deletions)}).`;
        return { status: 'success', content, summary: `−${deletions}`, details: { path: shown } };
      });
    },
  });
}
