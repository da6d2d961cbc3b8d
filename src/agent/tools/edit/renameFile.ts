import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { phrase, t, type Phrase } from '../../../utils/l10n';
import { askIfNeeded, withWriteErrors, logEdit, type EditServices } from './editing';
import type { AccessTarget } from '../../approvals/fileAccess';
import { alreadyThere } from '../../../services/files/writeProblems';
import { FileError } from '../../../services/files/fileError';
import { watchRename } from './renameProblems';
import { defineTool, type Tool } from '../kernel/tool';
import { isTaken, namesFolder } from './createFile';
import { pathAliases } from '../kernel/pathAliases';

const schema = z.object({
  path: z.string().describe('Path of the file as it is now, relative to the workspace'),
  newPath: z.string().describe('Its new path, relative to the workspace'),
});

/**
 * Moves one file to an unused path. Creates missing folders and updates open
 * editors. Reports the problems of the file and new problems elsewhere.
 */
export function renameFileTool(services: EditServices): Tool {
  return defineTool({
    name: 'rename_file',
    description: 'Rename or move a file of the workspace. Missing folders are created. Fails if the new path exists already.',
    schema,
    aliases: {
      ...pathAliases,
      oldPath: 'path',
      from: 'path',
      source: 'path',
      sourcePath: 'path',
      oldName: 'path',
      to: 'newPath',
      target: 'newPath',
      targetPath: 'newPath',
      destination: 'newPath',
      destinationPath: 'newPath',
      newName: 'newPath',
    },
    isOptional: true,
    effect: 'files',
    row: {
      family: 'edit',
      titles: translatable({
        done: 'Renamed {0} to {1}',
        running: 'Renaming {0} to {1}',
        planned: 'Rename {0} to {1}',
        failed: 'Could not rename {0}',
        stopped: 'Did not rename {0}',
      }),
      about: { kind: 'file', argument: 'path', to: 'newPath' },
    },
    label: ({ path, newPath }) => `${path} → ${newPath}`,
    run: async ({ path, newPath }, context) => {
      const folder = namesFolder(newPath);
      if (folder) return folder;
      const from = await services.access.forWriting(path, context.sessionId);
      const to = await services.access.forWriting(newPath, context.sessionId);
      if (!from.exists) throw new FileError('missing', phrase('There is no file {0}.', from.shown));
      await services.access.paths.assertNoLink(path);
      if (await isTaken(to)) throw alreadyThere(to);
      return withWriteErrors(to.shown, async () => {
        const file = await services.changes.readFile(from);
        const names = { before: from.shown, after: to.shown };
        const edit = { path: from.shown, newPath: to.shown, operation: 'rename' as const, names, before: '', after: '' };
        const rejected = await askIfNeeded(edit, [...from.reasons, ...to.reasons, ...waivedReasons(from, to)], context);
        if (rejected) return rejected;
        const watch = await watchRename(from, to, services, context);
        try {
          const hashes = await services.changes.rename(file, to, context);
          await logEdit(edit, hashes, context);
          const said = `Renamed ${from.shown} to ${to.shown}. What refers to it by its old name is not changed.`;
          const content = [said, ...(await watch.report())].join('\n');
          return { status: 'success', content, summary: t('to {0}', to.shown), details: { path: to.shown } };
        } finally {
          watch.dispose();
        }
      });
    },
  });
}

/** Returns the reasons that require approval for reading the old path but not the new path. */
function waivedReasons(from: AccessTarget, to: AccessTarget): Phrase[] {
  return from.readReasons.filter(({ english }) => to.readReasons.every((reason) => reason.english !== english));
}
