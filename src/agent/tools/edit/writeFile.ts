import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { changedMeanwhile } from '../../../services/files/writeProblems';
import { changeText, withWriteErrors, type EditServices } from './editing';
import { defineTool, type Tool } from '../kernel/tool';
import { contentAliases, pathAliases } from '../kernel/pathAliases';
import { createText, namesFolder } from './createFile';

const schema = z.object({
  path: z.string().describe('Path of the file, relative to the workspace'),
  content: z.string().describe('The whole new text of the file'),
});

/**
 * Replaces the whole text of a file, or creates the file. Keeps encoding, line endings and the
 * final line break. Also keeps lines that someone else has changed since the model read the file.
 */
export function writeFileTool(services: EditServices): Tool {
  return defineTool({
    name: 'write_file',
    otherNames: ['writetofile'],
    description:
      'Replace the whole text of a file, or create it. For a change of a part of a file use replace_in_file, which is quicker.',
    schema,
    aliases: { ...pathAliases, ...contentAliases },
    textBefore: async (path, sessionId) => {
      const target = await services.access.forWriting(path, sessionId);
      if (!target.exists || target.reasons.length > 0) return null;
      return (await services.changes.readText(target)).text;
    },
    effect: 'files',
    alsoIn: ['edit'],
    row: {
      family: 'edit',
      titles: translatable({
        done: 'Wrote {0}',
        running: 'Writing {0}',
        planned: 'Write {0}',
        failed: 'Could not write {0}',
        stopped: 'Did not write {0}',
      }),
      about: { kind: 'file', argument: 'path' },
    },
    label: ({ path }) => path,
    run: async ({ path, content }, context) => {
      const folder = namesFolder(path);
      if (folder) return folder;
      const target = await services.access.forWriting(path, context.sessionId);
      return withWriteErrors(target.shown, async () => {
        if (!target.exists) return createText(target, content, services, context);
        const file = await services.changes.readText(target);
        const access = { ...target, reasons: [...context.callReasons, ...target.reasons] };
        const merged = services.changes.known.merged({ sessionId: context.sessionId, path: target.real }, content, file.text);
        if (merged === null) throw changedMeanwhile(target);
        return changeText(file, merged, access, services, context);
      });
    },
  });
}
